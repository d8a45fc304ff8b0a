/// Which requests precede others when limits hold some back.
public enum RequestPriority: Sendable, Hashable {
    /// A user or program waits for the reply.
    case urgent
    /// The request is sent in advance: a prefetch, a sync. It goes when no urgent one waits, and after every four
    /// urgent ones.
    case background

    @TaskLocal package static var stated: RequestPriority?

    /// The stated one, else ``background`` in a task of priority `.utility` or lower, else ``urgent``.
    package static var current: RequestPriority {
        stated ?? (Task.currentPriority <= .utility ? .background : .urgent)
    }
}
