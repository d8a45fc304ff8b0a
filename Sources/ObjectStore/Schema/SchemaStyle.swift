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
    /// How values are written where an attribute does not say.
    package var values: ValueFormats

    package init(
        _ names: NamingConventions = .default, values: ValueFormats = ValueFormats(), document: DocumentFormat = .plain,
        relationships: RelationshipSending = .identities, inverseLists: RelationshipSending = .identities,
        lists: ListExtent = .judged, tombstones: [String] = []
    ) {
        self.names = names
        self.values = values
        self.document = document
        self.relationships = relationships
        self.inverseLists = inverseLists
        self.lists = lists
        self.tombstones = tombstones
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
        options.sentAs = sending == .conventional ? .identities : sending
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
