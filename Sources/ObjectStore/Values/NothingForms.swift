/// The JSON that stands for a missing value besides `null`: the attribute is nil or has its default.
///
/// ```swift
/// @Attribute(nothing: .emptyText) var dueOn: Date?                // {"due_on": ""}
/// ```
///
/// For URLs, `""` always stands for a missing value. Requests write nil as `""` if the server last did so, else as
/// `null`.
public struct NothingForms: OptionSet, Sendable, Hashable {
    /// The raw bits.
    public let rawValue: Int

    /// Creates a set from raw bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `""` stands for a missing value, for attributes of all types, including texts.
    public static let emptyText = NothingForms(rawValue: 1)
    /// A missing key stands for a missing value, as in proto3's JSON. For an API or model, it also removes embedded
    /// objects.
    ///
    /// Declare it only if all replies contain whole objects: others lose the values of missing keys. Requests for parts
    /// of objects are recognized by their query, if the API's conventions name the parameters.
    public static let missingKey = NothingForms(rawValue: 2)
}
