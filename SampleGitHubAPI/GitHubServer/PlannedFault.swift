struct PlannedFault: Sendable {
    let fault: Fault
    var times: Int
    /// nil for any.
    let method: String?
    /// The beginning of paths; nil for any.
    let path: String?

    func meets(_ request: Incoming) -> Bool {
        times > 0 && (method ?? request.method) == request.method && request.path.hasPrefix(path ?? "")
    }
}
