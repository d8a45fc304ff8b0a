/// When a write is sent to the server.
public enum WriteTiming: Sendable, Hashable {
    /// Now: the call returns when the server has answered, and throws if it hasn't accepted the write.
    case immediate
    /// Later: the call stores the write in the file and returns. The store's outbox sends it.
    case queued
}
