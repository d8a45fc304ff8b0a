/// A whole response: values, models and lists of models, anywhere in its JSON. `@ResponseBody` writes the conformance.
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
    /// The declaration of the type: its name and its parts.
    static var responseDescription: ResponseDescription { get }
    /// Creates an instance from the parts that were read, by the index of the property. For the code that
    /// `@ResponseBody` writes.
    init(_ values: ResponseValues)
}
