import Conventions

// What `print`, `dump`, debuggers and a failed expectation of a test show. These look into whatever they are given, and
// at any reference that they find: the references here that hold nothing must not be copied as if they did.

extension Model {
    /// The object in one line, without secrets: the model, the identity, the title, and what waits to be sent.
    ///
    /// ```swift
    /// print(issue)                 // Issue 102 "Crash when offline" (unsent: title)
    /// ```
    ///
    /// An object that is in no file, or has no identity, is `new Issue "Crash"`; a deleted one ends in `(deleted)`.
    /// Edits that are never sent stand behind `edited:`. The title is the first text among the attributes of type
    /// `String` that are called `title`, `name`, `label`, `subject`, `login`, `username` and `slug`, in this order, and
    /// then those whose name ends with such a word, as `fullName`. A model without any of these shows its first
    /// `String`. Write-only attributes, and those with names like `accessToken`, are never shown.
    ///
    /// `print` shows a `description` instead, where your class conforms to `CustomStringConvertible`. A
    /// `debugDescription` of your own takes the place of this one.
    ///
    /// - Complexity: a look at the file for an object that is in it.
    public var debugDescription: String { _object.summary }

    /// What `dump` shows: the attributes as JSON, without those that are secret, and relationships by the names of the
    /// objects that are loaded. It reads no file.
    public var customMirror: Mirror { Mirror(self, children: _object.shownProperties, displayStyle: .class) }
}

/// A text that is shown as it is, without quotes.
struct ShownText: CustomDebugStringConvertible, CustomReflectable {
    let debugDescription: String

    init(_ text: String) { debugDescription = text }

    var customMirror: Mirror { Mirror(self, children: []) }
}

extension ObjectState: CustomReflectable {
    /// What ``Model/customMirror`` shows of the object.
    public var customMirror: Mirror { Mirror(self, children: shownProperties) }

    /// How many members of a list are named.
    private static let shownCount = 100
    /// How much of a value is shown, in characters.
    private static let shownLength = 1000

    fileprivate var shownProperties: [Mirror.Child] {
        let state = current
        return state.model.declared.compactMap { property in
            state.model.isSecret(property) ? nil : (property.name, state.shown(property))
        }
    }

    /// A relationship in one line: `Repository 7 "Hello" issues: 30 members`, `Issue 1 user: User 7 "Ada"`. It reads no
    /// file.
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
        } else {
            content = "no relationship"
        }
        return "\(displayName) \(property.name): \(content)"
    }

    private func shown(_ property: Property) -> Any {
        if let list = property.list { return shownMembers(of: list, property.index) }
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
