/// The time at which a write is sent to the server.
public enum WriteTiming: Sendable, Hashable {
    /// Now. The call returns after the server's response, and throws if the server rejects the write.
    case immediate
    /// Later. The call stores the write in the file, and the store's outbox sends it.
    case queued
}
