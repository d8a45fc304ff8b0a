import Conventions
import ObjectStore

/// Parameters to add to a URL's query, in their order. A name can repeat.
///
/// ```swift
/// try await Issue.fetchAll(query: ["state": "open", "page": page], in: context)
///
/// var query = RouteQuery(filters) // a dictionary, or pairs
/// for label in labels { query.append("labels[]", label) }
/// ```
///
/// nil leaves a parameter out. A value without text, such as NaN or a date beyond the API's format, is an error before
/// anything is sent.
public struct RouteQuery: Sendable, ExpressibleByDictionaryLiteral {
    private var items: [(name: String, value: any RouteValueConvertible)] = []

    /// Creates a query without parameters.
    public init() {}

    /// Creates a query in the order of the literal.
    public init(dictionaryLiteral elements: (String, any RouteValueConvertible)...) {
        items = elements.map { (name: $0.0, value: $0.1) }
    }

    /// Creates a query from a dictionary, sorted by name.
    public init(_ parameters: [String: some RouteValueConvertible]) {
        items = parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    /// Creates a query from a dictionary of any values, sorted by name.
    public init(_ parameters: [String: any RouteValueConvertible]) {
        items = parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    /// Creates a query in the order of the pairs.
    public init(_ parameters: KeyValuePairs<String, some RouteValueConvertible>) {
        items = parameters.map { (name: $0.key, value: $0.value) }
    }

    var names: [String] { items.map(\.name) }

    /// Whether the query is empty.
    public var isEmpty: Bool { items.isEmpty }

    /// Whether the query selects a part of a list, as every parameter may except the page size (`per_page`, `limit`).
    var narrowsLists: Bool { items.contains { PageSigns.key($0.name) != .limit } }

    /// The first value of a name. Setting it replaces all of them; nil removes them.
    public subscript(_ name: String) -> (any RouteValueConvertible)? {
        get { items.first { $0.name == name }?.value }
        set {
            let index = items.firstIndex { $0.name == name } ?? items.endIndex
            items.removeAll { $0.name == name }
            if let newValue { items.insert((name: name, value: newValue), at: min(index, items.endIndex)) }
        }
    }

    /// Adds a parameter, even if its name repeats.
    public mutating func append(_ name: String, _ value: some RouteValueConvertible) {
        items.append((name: name, value: value))
    }

    /// Leaves out parameters without a value.
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
    /// The parameters' names, without values.
    public var description: String { "RouteQuery(\(names.joined(separator: ", ")))" }

    /// The description alone.
    public var customMirror: Mirror { Mirror(self, children: ["summary": description], displayStyle: .struct) }
}
