package import Conventions

/// What of an API's conventions decides how models become a schema.
package struct SchemaStyle: Sendable {
    package var names: NamingConventions
    package var document: DocumentFormat
    /// How relationships go out that don't say it themselves.
    package var relationships: RelationshipSending
    /// The same of lists whose members lead back by a link of their own.
    package var inverseLists: RelationshipSending
    /// Whether lists in replies are whole that don't say it themselves.
    package var lists: ListExtent
    /// The keys by which an object in a reply says that it is deleted.
    package var tombstones: [String]
    /// The key by which a plain object says of which model it is; nil where none does.
    package var typeKey: String?
    /// How values are written where an attribute does not say.
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

/// The styles of all APIs of a store. A model's objects are written as its own API writes them, wherever they stand.
package struct SchemaStyles: Sendable {
    /// By ``APIIndex``; never empty.
    let all: [SchemaStyle]
    /// The names by which models say which is theirs; nil where all models have the one that there is.
    let names: [String?]?

    /// For all models, whichever API they name.
    package init(ofAll style: SchemaStyle) {
        (all, names) = ([style], nil)
    }

    /// - Parameters:
    ///   - main: that of the API whose are the models that name none.
    ///   - others: those of the others.
    package init(main: (name: String?, style: SchemaStyle), others: [(name: String?, style: SchemaStyle)]) {
        all = [main.style] + others.map(\.style)
        names = [main.name] + others.map(\.name)
    }
}

extension SchemaStyles {
    /// The API of a name, as models and response types declare it.
    func index(of name: String?) -> Result<APIIndex, UnknownAPI> {
        guard let names, let name else { return .success(.main) }
        guard let index = names.firstIndex(of: name) else {
            return .failure(UnknownAPI(name: name, known: names.compactMap(\.self)))
        }
        return .success(APIIndex(index))
    }
}

/// A declaration names an API that the store doesn't have.
package struct UnknownAPI: Error {
    let name: String
    let known: [String]

    /// - Parameter declaration: what names it.
    package func text(of declaration: String) -> String {
        let names = known.map { "\"\($0)\"" }.joined(separator: ", ")
        let near = nearestName(to: name, among: known).map { "; did you mean \"\($0)\"?" } ?? ""
        return "\(declaration) is of the API \"\(name)\", but "
            + (known.isEmpty
                ? "no API of the store has a name; give it one, as in API(…, name: \"\(name)\")"
                : "the APIs of the store are named \(names)\(near)")
    }
}

/// How the objects of a body stand in it.
public enum DocumentFormat: Sendable, Hashable {
    /// An object's properties are the members of a JSON object, related objects are nested in it or named by identity.
    case plain
    /// Documents of [JSON:API 1.1](https://jsonapi.org/format/1.1/): `data`, `attributes`, `relationships`, `included`.
    case jsonAPI
}

extension RelationshipOptions {
    /// The same with what the conventions say where the declaration is silent.
    func resolved(by sending: RelationshipSending) -> RelationshipOptions {
        guard sentAs == .conventional else { return self }
        var options = self
        // A key of its own says that it is sent.
        options.sentAs = sending == .conventional || sentKey != nil ? .identities : sending
        return options
    }

    /// The same of a list.
    func resolved(by lists: ListExtent) -> RelationshipOptions {
        guard merges == nil, lists != .judged else { return self }
        var options = self
        options.merges = lists == .pages
        return options
    }
}
