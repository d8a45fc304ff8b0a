struct Label: Sendable {
    let id: Int
    var name: String
    /// Six hexadecimal digits.
    var color = "ededed"
    var description: String?
    var isDefault = false
}
