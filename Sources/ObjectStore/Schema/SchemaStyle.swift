package import Conventions

/// The API conventions that affect the schema.
package struct SchemaStyle: Sendable {
    package var names: NamingConventions
    package var document: DocumentFormat
    /// The form in which relationships are sent, unless declared.
    package var relationships: RelationshipSending
    /// The form in which lists of links are sent, unless declared.
    package var inverseLists: RelationshipSending
    /// Whether lists in replies are whole, unless declared.
    package var lists: ListExtent
    /// The keys that mark an object as deleted.
    package var tombstones: [String]
    /// The key of a plain object's type.
    package var typeKey: String?
    /// The format of values, unless declared by the attribute.
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

/// The styles of a store's APIs. A model's objects use the style of its own API, even within objects of another one.
package struct SchemaStyles: Sendable {
    /// By ``APIIndex``; at least one.
    let all: [SchemaStyle]
    /// The APIs' names, which models declare. Nil if one API has all models.
    let names: [String?]?

    /// One style for all models, whichever API they name.
    package init(ofAll style: SchemaStyle) {
        (all, names) = ([style], nil)
    }

    /// - Parameters:
    ///   - main: the API of models that name none.
    ///   - others: the other APIs.
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

    /// - Parameter declaration: the name of the model or response type.
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
    /// Fills in the API's convention if the declaration lacks `sentAs:`.
    func resolved(by sending: RelationshipSending) -> RelationshipOptions {
        guard sentAs == .conventional else { return self }
        var options = self
        // A key of its own says that it is sent.
        options.sentAs = sending == .conventional || sentKey != nil ? .identities : sending
        return options
    }

    /// Fills in the API's convention if the declaration lacks `merges:`.
    func resolved(by lists: ListExtent) -> RelationshipOptions {
        guard merges == nil, lists != .judged else { return self }
        var options = self
        options.merges = lists == .pages
        return options
    }
}
