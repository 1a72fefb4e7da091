"""A plain, independent reading of the execution v0 decisions: no rules, no engine, one function per decision."""
