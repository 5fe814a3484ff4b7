"""Arrow Flight over gRPC: messages, framing, status codes and limits. It knows no catalog and no SQL."""
