"""The tests: one file a subject, named after what it promises."""
