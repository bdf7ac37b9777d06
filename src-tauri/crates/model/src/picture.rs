//! From a workflow to the input of the layout.
