//! Rules: each looks at a whole workflow and reports what is wrong. One file a rule, its remedy page beside it.
