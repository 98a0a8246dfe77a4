"""Row-level regression gates for retrieval-augmented generation (RAG) pipelines."""

__version__ = "0.1.0"
