"""What each code of the offline judge means, for its page in `explain`."""

REASONS = {
    "empty-context": "ABSENT: the model was given nothing, so that no claim can be borne out.",
    "new-figure": "ABSENT: a figure, date, code or address of the claim stands nowhere in the "
    "context or the question, in any writing, and is no sum or difference of what stands there.",
    "other-value": "CONTRADICTED: the claim is a sentence of the context in all words but one "
    "value, and another value of the same kind stands there.",
    "foreign-value": "CONTRADICTED: the claim's value stands nowhere, and a sentence with its "
    "words has another value of the same kind.",
    "negation": "CONTRADICTED: the claim is a sentence of the context, but for a not more or less.",
    "opposite": "CONTRADICTED: the claim is a sentence of the context, with the opposite of one "
    "word (on and off, minimum and maximum).",
    "bound": "CONTRADICTED: the same value with the opposite bound (at least, up to).",
    "elsewhere": "UNRESOLVED: the claim differs from one sentence in one place, and another "
    "sentence of the context may be what it tells. Rules cannot say which.",
    "other-words": "UNRESOLVED: no sentence of the context has the claim's words. The reason names "
    "the words that differ from the nearest one. Rules do not read other words: write what a right "
    "answer says into answer_contains, or use a model judge (evalrag explain judge).",
    "no-sentence": "UNRESOLVED: no sentence of the context is close to the claim in words. As for "
    "other-words.",
    "no-proof": "UNRESOLVED: the claim is too long, or has no words, to be laid on a sentence.",
    "too-many-figures": "UNRESOLVED: a passage holds more than 10,000 figures. The rest of it is "
    "not read, and could bear the claim out.",
    "yes-no": "UNRESOLVED: the claim begins with yes or no, and goes on to say otherwise.",
}
