/// A type that takes a whole response: values, models and lists of them, wherever they stand in its JSON.
/// `@ResponseBody` writes the conformance.
///
/// ```swift
/// @ResponseBody
/// struct IssuePage {
///     var totalCount = 0                                   // "total_count"
///     @Attribute("meta.next") var next: URL?
///     var items: [Issue]                                   // imported, live in the caller's context
/// }
/// ```
public protocol ResponseBody: SendableMetatype {
    /// What the type declares: its name and its parts.
    static var responseDescription: ResponseDescription { get }
    /// Takes the parts that were read, each in the place of the property that has its index; for the code that
    /// `@ResponseBody` writes.
    init(_ values: ResponseValues)
}
