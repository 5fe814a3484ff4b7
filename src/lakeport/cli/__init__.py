"""The command line: parses, calls one use case of `app`, draws its answer. No rules of the business."""
