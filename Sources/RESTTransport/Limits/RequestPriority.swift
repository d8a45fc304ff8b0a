/// Which requests go first when an API's limits hold some back.
public enum RequestPriority: Sendable, Hashable {
    /// Somebody waits for it.
    case urgent
    /// It is sent ahead of time: a prefetch, a sync. It goes when nothing urgent waits, and after each four urgent
    /// ones, so that it goes at some time.
    case background

    /// What the code that runs has said.
    @TaskLocal package static var stated: RequestPriority?

    /// That of what is sent now: what was said, else ``background`` in a task whose priority is `.utility` or
    /// `.background`.
    package static var current: RequestPriority {
        stated ?? (Task.currentPriority <= .utility ? .background : .urgent)
    }
}
