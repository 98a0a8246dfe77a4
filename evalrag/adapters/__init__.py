"""The user's retriever, generator and rewriter: one transport a file."""
