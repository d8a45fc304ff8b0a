package import Conventions

/// An API's style, unless declarations differ.
package struct SchemaStyle: Sendable {
    package var names: NamingConventions
    package var document: DocumentFormat
    package var relationships: RelationshipSending
    /// For lists of links.
    package var inverseLists: RelationshipSending
    package var lists: ListExtent
    /// Keys that mark an object as deleted.
    package var tombstones: [String]
    /// The key of the type in plain objects.
    package var typeKey: String?
    package var values: ValueFormats

    package init(
        _ names: NamingConventions = .default, values: ValueFormats = ValueFormats(), document: DocumentFormat = .plain,
        relationships: RelationshipSending = .identities, inverseLists: RelationshipSending = .identities,
        lists: ListExtent = .judged, tombstones: [String] = [], typeKey: String? = nil
    ) {
        self.names = names
        self.values = values
        self.document = document
        self.relationships = relationships
        self.inverseLists = inverseLists
        self.lists = lists
        self.tombstones = tombstones
        self.typeKey = typeKey
    }
}

/// Objects within those of another API keep their own style.
package struct SchemaStyles: Sendable {
    /// By ``APIIndex``; at least one.
    let all: [SchemaStyle]
    /// Names in declarations. Nil if one API has all models.
    let names: [String?]?

    package init(ofAll style: SchemaStyle) {
        (all, names) = ([style], nil)
    }

    /// - Parameter main: the default for models.
    package init(main: (name: String?, style: SchemaStyle), others: [(name: String?, style: SchemaStyle)]) {
        all = [main.style] + others.map(\.style)
        names = [main.name] + others.map(\.name)
    }
}

extension SchemaStyles {
    func index(of name: String?) -> Result<APIIndex, UnknownAPI> {
        guard let names, let name else { return .success(.main) }
        guard let index = names.firstIndex(of: name) else {
            return .failure(UnknownAPI(name: name, known: names.compactMap(\.self)))
        }
        return .success(APIIndex(index))
    }
}

package struct UnknownAPI: Error {
    let name: String
    let known: [String]

    /// - Parameter declaration: a model's or response type's name.
    package func text(of declaration: String) -> String {
        let names = known.map { "\"\($0)\"" }.joined(separator: ", ")
        let near = nearestName(to: name, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
        return "\(declaration) is of the API \"\(name)\", but "
            + (known.isEmpty
                ? "no API of the store has a name; give it one, as in API(…, name: \"\(name)\")"
                : "the APIs of the store are named \(names)\(near)")
    }
}

/// The structure of an API's JSON bodies.
public enum DocumentFormat: Sendable, Hashable {
    /// Each object is a JSON object with its properties as members. Related objects are nested in it, or referred to by
    /// identity.
    case plain
    /// Documents of [JSON:API 1.1](https://jsonapi.org/format/1.1/): `data`, `attributes`, `relationships`, `included`.
    case jsonAPI
}

extension RelationshipOptions {
    /// Completes a declaration without `sentAs`.
    func resolved(by sending: RelationshipSending) -> RelationshipOptions {
        guard sentAs == .conventional else { return self }
        var options = self
        // A declared key is sent.
        options.sentAs = sending == .conventional || sentKey != nil ? .identities : sending
        return options
    }

    /// Completes a declaration without `merges`.
    func resolved(by lists: ListExtent) -> RelationshipOptions {
        guard merges == nil, lists != .judged else { return self }
        var options = self
        options.merges = lists == .pages
        return options
    }
}
