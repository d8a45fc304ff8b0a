import Conventions
import ObjectStore

/// The parameters that are added to a URL's query, in their order; a name can occur more than once.
///
/// ```swift
/// try await Issue.fetchAll(query: ["state": "open", "page": page], in: context)
///
/// var query = RouteQuery(filters)                             // a dictionary, or pairs
/// for label in labels { query.append("labels[]", label) }
/// ```
///
/// A value that is nil leaves its parameter out. One that has no text, as NaN or a date beyond the API's format, is an
/// error before anything is sent, as without it something else would be asked for.
public struct RouteQuery: Sendable, ExpressibleByDictionaryLiteral {
    private var items: [(name: String, value: any RouteValueConvertible)] = []

    /// No parameters.
    public init() {}

    /// The parameters in the order in which they are written.
    public init(dictionaryLiteral elements: (String, any RouteValueConvertible)...) {
        items = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The parameters of a dictionary, in the order of their names.
    public init(_ parameters: [String: some RouteValueConvertible]) {
        items = parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    /// The same for a dictionary with values of several types.
    public init(_ parameters: [String: any RouteValueConvertible]) {
        items = parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    /// The parameters of pairs, in their order.
    public init(_ parameters: KeyValuePairs<String, some RouteValueConvertible>) {
        items = parameters.map { (name: $0.key, value: $0.value) }
    }

    /// The names of the parameters, in their order.
    var names: [String] { items.map(\.name) }

    /// Whether there is no parameter.
    public var isEmpty: Bool { items.isEmpty }

    /// Whether it asks for a part of a list, as anything does but how long a page may be: `per_page`, `limit`.
    var narrowsLists: Bool { items.contains { PageSigns.key($0.name) != .limit } }

    /// The value of a parameter; of several with the name, the first. Setting one replaces all with the name, and
    /// setting nil removes them.
    public subscript(_ name: String) -> (any RouteValueConvertible)? {
        get { items.first { $0.name == name }?.value }
        set {
            let index = items.firstIndex { $0.name == name } ?? items.endIndex
            items.removeAll { $0.name == name }
            if let newValue { items.insert((name: name, value: newValue), at: min(index, items.endIndex)) }
        }
    }

    /// Adds a parameter, whether or not there is one of that name.
    public mutating func append(_ name: String, _ value: some RouteValueConvertible) {
        items.append((name: name, value: value))
    }

    /// The parameters that have a value, as the API writes them.
    ///
    /// - Throws: ``RouteProblem/unsendableParameter(_:value:)``.
    func texts(as formats: ValueFormats) throws(RouteProblem) -> [(name: String, text: String)] {
        var texts: [(name: String, text: String)] = []
        for (name, item) in items {
            let value = item.routeValue(as: formats)
            if let refusal = value.refusal { throw .unsendableParameter(name, value: refusal) }
            if let text = value.text { texts.append((name: name, text: text)) }
        }
        return texts
    }
}

extension RouteQuery: CustomStringConvertible, CustomReflectable {
    /// The names of the parameters; their values may be secret.
    public var description: String { "RouteQuery(\(names.joined(separator: ", ")))" }

    /// What `dump` shows: the description.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
