import Conventions

// `print`, `dump`, debuggers and failed test expectations copy all references that they find. Copies of loose
// references would be unsafe, so these are hidden here.

extension Model {
    /// The object in one line, without secrets: `Issue 102 "Crash when offline" (unsent: title)`.
    ///
    /// An object without a row or an identity is `new Issue "Crash"`. A deleted one ends in `(deleted)`. Edits that are
    /// never sent follow `edited:`.
    ///
    /// The title is the first nonempty `String` named `title`, `name`, `label`, `subject`, `login`, `username` or
    /// `slug`, then one whose name ends with such a word, as `fullName`; without such attributes, the model's first
    /// `String`. Write-only attributes, and those with names like `accessToken`, are never shown.
    ///
    /// Your own `debugDescription` replaces this one, and `print` prefers your own `description`.
    ///
    /// - Complexity: one read of the file, if the object is in it.
    public var debugDescription: String { _object.summary }

    /// The output of `dump`: the attributes as JSON, without secrets, and the names of loaded related objects.
    public var customMirror: Mirror { Mirror(self, children: _object.shownProperties, displayStyle: .class) }
}

struct ShownText: CustomDebugStringConvertible, CustomReflectable {
    let debugDescription: String

    init(_ text: String) { debugDescription = text }

    var customMirror: Mirror { Mirror(self, children: []) }
}

extension ObjectState: CustomReflectable {
    /// The output of ``Model/customMirror``.
    public var customMirror: Mirror { Mirror(self, children: shownProperties) }

    private static let shownCount = 100
    /// In characters.
    private static let shownLength = 1000

    fileprivate var shownProperties: [Mirror.Child] {
        let state = current
        return state.model.declared.compactMap { property in
            state.model.isSecret(property) ? nil : (property.name, state.shown(property))
        }
    }

    /// `Repository 7 "Hello" issues: 30 members`, `Issue 1 user: User 7 "Ada"`. It reads loaded objects only.
    package func relationshipSummary(_ property: Property) -> String {
        let state = current
        let content: String
        if property.list != nil {
            let count = state.lists[property.index]?.members.count
            content = count.map { "\($0) \($0 == 1 ? "member" : "members")" } ?? "not loaded"
        } else if let target = property.target {
            content =
                state.linkedRow(property.index)
                .map { state.shownObject(RecordID(table: target, row: $0)) } ?? "nil"
        } else if property.choice != nil {
            content = "\(state.shown(property))"
        } else {
            content = "no relationship"
        }
        return "\(displayName) \(property.name): \(content)"
    }

    private func shown(_ property: Property) -> Any {
        if let list = property.list { return shownMembers(of: list, property.index) }
        if let choice = property.choice {
            let links = choice.links.lazy.compactMap { link in
                self.linkedRow(link).flatMap { row in
                    self.model.linkTarget(of: link).map { RecordID(table: $0, row: row) }
                }
            }
            return ShownText(links.first.map(shownObject) ?? "nil")
        }
        guard let target = property.target else { return ShownText(shownValue(property)) }
        return ShownText(linkedRow(property.index).map { shownObject(RecordID(table: target, row: $0)) } ?? "nil")
    }

    private func shownValue(_ property: Property) -> String {
        let value = stored(property.index)
        if value.isNull { return "nil" }
        if case .text(let text) = value {
            if RedactedURL.isSecret(value: text) { return "REDACTED" }
            if case .attribute(.url, _, _) = property.kind { return "\"\(RedactedURL.text(of: text))\"" }
        }
        guard let json = (try? property.wireText(of: value, .standard))?.json else {
            return "a value that JSON can't express"
        }
        return json.excerpt(limit: Self.shownLength)
    }

    private func shownMembers(of list: List, _ index: PropertyIndex) -> Any {
        guard let members = lists[index]?.members else { return ShownText("not loaded") }
        let shown = members.prefix(Self.shownCount).map { row in
            ShownText(shownObject(RecordID(table: list.target, row: row)))
        }
        let rest = members.count - shown.count
        return rest > 0 ? shown + [ShownText("and \(rest) more")] : shown
    }

    private func shownObject(_ record: RecordID) -> String {
        guard let context else { return "not loaded" }
        if let state = context.loadedState(record) { return state.displayName }
        return context.schema.contains(record.table) ? "\(context.schema[record.table].modelName), not loaded" : "nil"
    }
}

extension LooseReference: CustomReflectable {
    @usableFromInline var customMirror: Mirror { Mirror(self, children: []) }
}

extension LooseModel: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: []) }
}
