/// The rules about facts: the smallest things that can be edited.
enum FactRules {
    /// Whether an edit changes nothing at the server, so that it is dropped.
    ///
    /// - Parameters:
    ///   - value: what the fact was set to.
    ///   - base: what the server last said of it; nil if it has said nothing.
    ///   - isAtRisk: whether a request with the fact is in flight, or its outcome is unknown.
    static func isRedundant<Value: Equatable>(_ value: Value, over base: Value?, isAtRisk: Bool) -> Bool {
        !isAtRisk && value == base
    }

    /// Whether the edit of a membership changes nothing. Who is not known to be a member needs not be taken out.
    static func isRedundant(_ isMember: Bool, over base: Bool?, isAtRisk: Bool) -> Bool {
        !isAtRisk && isMember == (base ?? false)
    }
}
