/// What in JSON says that an attribute has no value, beside `null`: then it is nil, or its default. Where an API or
/// model declares ``missingKey``, a missing key says of embedded objects, too, that there are none.
///
/// ```swift
/// @Attribute(nothing: .emptyText) var dueOn: Date?                // {"due_on": ""}
/// conventions.values.nothing = .missingKey                        // proto3's JSON, which leaves out false, 0 and ""
/// ```
///
/// `""` is nothing to a URL in any case. nil goes out as `""` where the server was last seen to write it so, else as
/// `null`.
public struct NothingForms: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// A set of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// `""`, of attributes of every type; a text is nil or its default by it, rather than empty.
    public static let emptyText = NothingForms(rawValue: 1)
    /// The key is not there. To be declared where each reply has the whole object only: what stands nested in another,
    /// or in a list, with a part of its keys loses the others. Requests that ask for a part of each object are told by
    /// their query, if the API's conventions name the parameters.
    public static let missingKey = NothingForms(rawValue: 2)
}
