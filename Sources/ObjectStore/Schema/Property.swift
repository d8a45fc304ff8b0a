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
    /// The path in plain JSON, routes and errors.
    package internal(set) var jsonPath: [String]
    package internal(set) var kind: Kind
    package var isOptional = false
    var hasConstantDefault = false
    var isString = false
    /// Declared by the attribute, else by the API.
    package var format = WireFormat()
    /// Nil for a to-many relationship.
    package let column: ColumnIndex?
    /// Whether the keys are among the owner's.
    package var isAtRoot = false
    /// The path in a JSON:API resource object.
    package internal(set) var resourcePath: [String]?
    /// A declared path for requests.
    package var sentPath: [String]?
    /// For a relationship to one of several models.
    package internal(set) var choice: Choice?
    /// Whether the property is a choice's hidden link.
    package internal(set) var isChoiceLink = false
    /// A hidden link's names in earlier models.
    var formerNames: [String] = []

    /// The path in the object's JSON.
    package var documentPath: [String] { resourcePath ?? jsonPath }
    /// A URL in `links` may be a link object (https://jsonapi.org/format/#document-links).
    var isResourceLink: Bool {
        guard resourcePath?.count == 2, resourcePath?.first == "links", format.transformer == nil else { return false }
        return switch kind {
        case .attribute(.url, _, _), .attribute(.text, _, _): true
        default: false
        }
    }
    package var link: Link? { if case .toOne(let link) = kind { link } else { nil } }
    package var list: List? { if case .toMany(let list) = kind { list } else { nil } }

    /// Takes another model's JSON name and route.
    func declared(as other: PropertyDescription, _ path: [String]?) -> Property {
        var property = self
        property.jsonPath = path ?? jsonPath
        property.sentPath = other.sentKey?.keyPathKeys
        if let resourcePath {
            // Embedded objects are attributes.
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

    /// Converts discriminators. Nil for an unsuitable attribute.
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
    /// Whether edits stay local, and need no acknowledgement.
    package var isNeverSent: Bool {
        switch kind {
        case .attribute(_, _, let options): options.access == .readOnly || choice?.options.sentAs == .never
        case .toOne, .toMany: sentAs == .never
        }
    }
    /// - Parameter path: the server's last one.
    package func sentPath(insteadOf path: [String]) -> [String] {
        guard let sentPath else { return path }
        guard let resourcePath, let start = resourcePath.firstIndex(of: jsonPath[0]) else { return sentPath }
        return resourcePath[..<start] + sentPath + (isLinkage ? ["data"] : [])
    }

    private var isLinkage: Bool { resourcePath?.first == "relationships" }
    /// Whether the file forgets values that the server has.
    var isForgotten: Bool {
        if case .attribute(_, _, let options) = kind { options.access == .writeOnly } else { false }
    }
    /// Whether replies have the value.
    var isRepeated: Bool { !isNeverSent && !isForgotten }
    /// Whether requests use `owner_id`.
    package var isSentByIdentityKey: Bool { sentAs == .identities && resourcePath == nil }
    /// Read-only once the server has the object.
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
    /// Declared by the attribute, else by the API.
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
        // Many servers write "" for a missing URL.
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
    /// The default is the server's last format.
    ///
    /// - Throws: ``UnsendableValue`` for values beyond JSON.
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

    /// Whether its stored form may lose its exact JSON.
    var mayNeedText: Bool {
        guard case .attribute(let kind, _, _) = self.kind, format.transformer == nil else { return false }
        return switch kind {
        case .date, .real, .float, .integer, .unsigned, .wideInteger: true
        case .list, .set, .dictionary: format.dates.isDeclared && kind.hasDates
        case .boolean, .decimal, .text, .data, .url, .uuid, .json: false
        }
    }

    /// Nil if the JSON `text` is of another value.
    func wireText(keptAs text: String, of value: StoredValue) -> WireText? {
        // Bytes outlive the reader; values are copies.
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

    /// Nil if the conversion fails. The value must be other than null.
    func slot(_ reader: inout JSONReader, _ memory: inout ImportMemory) throws(JSONError) -> ImportSlot? {
        guard case .attribute(let kind, _, _) = self.kind else { return nil }
        guard let transformer = format.transformer else { return try kind.slot(&reader, dates: format.dates, &memory) }
        return transformer.read(try JSONValue(&reader)).map { memory.slot($0) }
    }

    /// The expected value, for reports.
    var expectation: String {
        guard case .attribute(let kind, _, _) = self.kind else { return "a relationship" }
        if format.transformer != nil { return "what the attribute's transformer takes" }
        if format.dates.isDeclared, case .date = kind { return "a date (\(format.dates.format))" }
        return kind.expectation
    }

    /// The format, for explanations.
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
            // An empty string is a value by default.
            let nothing = property.format.nothing
            let declaresEmptyText = if case .text = kind { nothing.contains(.emptyText) } else { false }
            self.init(
                kind, isIgnored: options.access == .writeOnly,
                isDeclared: property.format.isDeclared || declaresEmptyText)
            isEmptyTextNothing = nothing.contains(.emptyText)
            isNil = property.isOptional
        } else {
            self.init(code: .link, isWhole: false, isIgnored: false)
        }
    }
}
