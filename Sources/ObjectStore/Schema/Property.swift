import Conventions
import JSONBytes

package struct Property: Sendable {
    package enum Kind: Sendable {
        case attribute(AttributeKind, default: @Sendable () -> StoredValue, options: AttributeOptions)
        case toOne(Link)
        case toMany(List)
    }

    package let index: PropertyIndex
    package let name: String
    /// The key path in the model's JSON, as used in routes, errors and explanations.
    package internal(set) var jsonPath: [String]
    package internal(set) var kind: Kind
    package var isOptional = false
    var hasConstantDefault = false
    var isString = false
    /// The attribute's JSON format, as declared by the attribute or else by the API.
    package var format = WireFormat()
    /// Nil for a to-many relationship.
    package let column: ColumnIndex?
    /// Whether an embedded object's keys are among those of its owner.
    package var isAtRoot = false
    /// The key path in a resource object, if the schema uses JSON:API documents.
    package internal(set) var resourcePath: [String]?
    /// The key path of its own under which the value is sent.
    package var sentPath: [String]?
    /// For a relationship to one of several models, which is an attribute otherwise.
    package internal(set) var choice: Choice?
    /// Whether it is a hidden link to one of these models.
    package internal(set) var isChoiceLink = false
    /// For such a link: its possible names in earlier versions of the model.
    var formerNames: [String] = []

    /// The key path in the object's JSON.
    package var documentPath: [String] { resourcePath ?? jsonPath }
    /// Whether it is a URL in a resource's `links`, which may be a link object
    /// (https://jsonapi.org/format/#document-links).
    var isResourceLink: Bool {
        guard resourcePath?.count == 2, resourcePath?.first == "links", format.transformer == nil else { return false }
        return switch kind {
        case .attribute(.url, _, _), .attribute(.text, _, _): true
        default: false
        }
    }
    package var link: Link? { if case .toOne(let link) = kind { link } else { nil } }
    package var list: List? { if case .toMany(let list) = kind { list } else { nil } }

    /// The property as another model of the family declares it, with that model's JSON name and route.
    func declared(as other: PropertyDescription, _ path: [String]?) -> Property {
        var property = self
        property.jsonPath = path ?? jsonPath
        property.sentPath = other.sentKey?.keyPathKeys
        if let resourcePath {
            // An embedded object is an attribute of the resource.
            let isEmbedded = target != nil && resourcePath.first == "attributes"
            property.resourcePath = isEmbedded ? ["attributes"] + property.jsonPath : property.pathInResource
        }
        switch (kind, other.kind) {
        case (.toOne(var link), .toOne(_, let options)):
            link.options.route = options.route
            property.kind = .toOne(link)
        case (.toMany(var list), .toMany(_, let options)):
            list.options.route = options.route
            property.kind = .toMany(list)
        default: break
        }
        return property
    }

    /// Converts a declared name to a discriminator. Nil for an unsuitable attribute.
    var discriminating: ((String) -> StoredValue?)? {
        guard case .attribute(let kind, _, _) = self.kind else { return nil }
        switch kind {
        case .text: return { .text($0) }
        case .integer: return { Int64($0).map(StoredValue.integer) }
        default: return nil
        }
    }
}

extension Property {
    package var target: TableID? { link?.target ?? list?.target }
    package var inverse: PropertyIndex? { link?.inverse ?? list?.inverse }
    var sentAs: RelationshipSending? { link?.options.sentAs ?? list?.options.sentAs }
    var owns: Bool { link?.options.owns ?? list?.options.owns ?? false }
    /// Whether edits stay local, so that there is nothing to acknowledge: only the server sets the property, or the
    /// relationship is never sent.
    package var isNeverSent: Bool {
        switch kind {
        case .attribute(_, _, let options): options.access == .readOnly || choice?.options.sentAs == .never
        case .toOne, .toMany: sentAs == .never
        }
    }
    /// Where the value stands in an object that is sent: under its own key, or where it is read.
    ///
    /// - Parameter path: where it is read, as the server last spelt it.
    package func sentPath(insteadOf path: [String]) -> [String] {
        guard let sentPath else { return path }
        guard let resourcePath, let start = resourcePath.firstIndex(of: jsonPath[0]) else { return sentPath }
        return resourcePath[..<start] + sentPath + (isLinkage ? ["data"] : [])
    }

    /// Whether a resource has the value as linkage.
    private var isLinkage: Bool { resourcePath?.first == "relationships" }
    /// Whether the value is removed from the file once the server has it.
    var isForgotten: Bool {
        if case .attribute(_, _, let options) = kind { options.access == .writeOnly } else { false }
    }
    /// Whether a reply repeats the value that was sent.
    var isRepeated: Bool { !isNeverSent && !isForgotten }
    /// Whether the relationship is sent under its key for identities: `owner_id`.
    package var isSentByIdentityKey: Bool { sentAs == .identities && resourcePath == nil }
    /// Whether the attribute is read-only once the server has the object.
    package var isFixed: Bool {
        if case .attribute(_, _, let options) = kind {
            [.readOnly, .createOnly].contains(options.access)
        } else {
            false
        }
    }
    var deleteRule: DeleteRule { link?.options.onDelete ?? list?.options.onDelete ?? .nullify }
}

// MARK: How its values are written in JSON

extension WireFormat {
    /// The JSON format of an attribute, as declared by the attribute or else by the API, and problems of the
    /// declaration.
    static func compile(
        _ property: PropertyDescription, for values: ValueFormats
    ) -> (format: WireFormat, problems: [String]) {
        var format = WireFormat()
        guard case .attribute(let kind, _, let options) = property.kind else { return (format, []) }
        format.nothing = options.nothing ?? values.nothing
        var problems: [String] = []
        if let declared = options.format {
            if !kind.hasDates {
                let type = property.binding?.type ?? "no date"
                problems.append("declares the date format \(declared), but is \(type)")
            }
            if let problem = declared.problem { problems.append("declares a date format that is no use: \(problem)") }
        }
        let dates = options.format ?? values.dates
        if kind.hasDates, dates != .automatic, dates.problem == nil { format.dates = DateCoder(dates) }
        if let transformer = options.transformer {
            format.transformer = property.binding?.bind(transformer)
            if format.transformer == nil {
                let types = (transformer.valueName, property.binding?.type ?? "of another type")
                problems.append("declares a transformer of \(types.0), but is \(types.1)")
            }
        } else if options.format == nil {
            format.transformer = values.transformers.lazy.compactMap { property.binding?.bind($0) }.first
        }
        // "" isn't a URL, and many servers write it for none.
        if case .url = kind, format.transformer == nil { format.nothing.insert(.emptyText) }
        return (format, problems)
    }
}

extension DateFormat {
    var problem: String? {
        guard case .pattern(let pattern, let zone) = form else { return nil }
        return PatternFormatter.problem(of: pattern, zone).map { "\"\(pattern)\": \($0)" }
    }
}

extension Property {
    /// Converts a value to JSON. Without a declared format, it uses the format of the last value received.
    ///
    /// - Throws: ``UnsendableValue`` if the value has no JSON.
    package func wireText(of value: StoredValue, _ shape: WireShape) throws(UnsendableValue) -> WireText {
        guard case .attribute(let kind, _, _) = self.kind else { return .null }
        guard let transformer = format.transformer, !value.isNull else {
            return try WireText(value, kind, shape: shape, dates: format.dates)
        }
        guard let text = transformer.write(value)?.text else {
            throw UnsendableValue(value: "a value for which its transformer has no JSON")
        }
        return .raw(text)
    }

    /// Whether a received value may lose its exact JSON when stored. False for kinds that store their text.
    var mayNeedText: Bool {
        guard case .attribute(let kind, _, _) = self.kind, format.transformer == nil else { return false }
        return switch kind {
        case .date, .real, .float, .integer, .unsigned, .wideInteger: true
        case .list, .set, .dictionary: format.dates.isDeclared && kind.hasDates
        case .boolean, .decimal, .text, .data, .url, .uuid, .json: false
        }
    }

    /// Returns the stored JSON of a value, or nil if that JSON is of another value.
    ///
    /// - Parameter text: JSON.
    func wireText(keptAs text: String, of value: StoredValue) -> WireText? {
        // The bytes outlive the reader. Values read from them are copied.
        unsafe Array(text.utf8).withUnsafeBytes { bytes in
            var memory = ImportMemory(capacity: 64)
            guard let reader = unsafe try? JSONReader(unsafe: bytes) else { return nil }
            var again = reader
            guard let slot = try? self.slot(&again, &memory), slot.stored == value else { return nil }
            var scalar = reader
            guard text.first == "\"", let read = try? scalar.readScalar() else { return .raw(text) }
            return .string(reader.string(read))
        }
    }

    /// Converts the next JSON value, which isn't null. Returns nil if that fails.
    func slot(_ reader: inout JSONReader, _ memory: inout ImportMemory) throws(JSONError) -> ImportSlot? {
        guard case .attribute(let kind, _, _) = self.kind else { return nil }
        guard let transformer = format.transformer else { return try kind.slot(&reader, dates: format.dates, &memory) }
        return transformer.read(try JSONValue(&reader)).map { memory.slot($0) }
    }

    /// The expected JSON, for the import's report.
    var expectation: String {
        guard case .attribute(let kind, _, _) = self.kind else { return "a relationship" }
        if format.transformer != nil { return "what the attribute's transformer takes" }
        if format.dates.isDeclared, case .date = kind { return "a date (\(format.dates.format))" }
        return kind.expectation
    }

    /// The declared JSON format, for explanations.
    package var wireNotes: [String] {
        guard case .attribute(_, _, let options) = kind else { return [] }
        let nothing = options.nothing ?? []
        let forms = [
            nothing.contains(.emptyText) ? "no value where it is \"\"" : nil,
            nothing.contains(.missingKey) ? "no value where the key is missing" : nil,
        ]
        if format.transformer != nil { return ["through a transformer"] + forms.compactMap(\.self) }
        return (format.dates.isDeclared ? ["date format: \(format.dates.format)"] : []) + forms.compactMap(\.self)
    }
}

extension ImportColumn {
    init(_ property: Property) {
        if case .attribute(let kind, _, let options) = property.kind {
            // An empty string is a value, unless declared otherwise.
            let nothing = property.format.nothing
            let isTold = if case .text = kind { nothing.contains(.emptyText) } else { false }
            self.init(
                kind, isIgnored: options.access == .writeOnly, isDeclared: property.format.isDeclared || isTold)
            isEmptyTextNothing = nothing.contains(.emptyText)
            isNil = property.isOptional
        } else {
            self.init(code: .link, isWhole: false, isIgnored: false)
        }
    }
}
