/// A fault that waits for its requests.
struct PlannedFault: Sendable {
    let fault: Fault
    var times: Int
    /// Which method it waits for; nil for any.
    let method: String?
    /// The first part of the paths; nil for any path.
    let path: String?

    func meets(_ request: Incoming) -> Bool {
        times > 0 && (method ?? request.method) == request.method && request.path.hasPrefix(path ?? "")
    }
}
