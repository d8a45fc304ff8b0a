/// Texts, or objects with a name.
struct LabelNames: Sendable {
    /// nil if absent.
    let names: [String]?

    init(_ input: Input) throws(Refusal) {
        guard let value = input.object["labels"] else {
            names = nil
            return
        }
        names = try LabelNames.names(in: value, "properties/labels")
    }

    /// The body is `{"labels": [...]}` or the list. Throws 400 or 422.
    init(body call: Call) throws(Refusal) {
        guard let json = JSON(parsing: call.request.body) else { throw .problemsParsingJSON }
        if case .array = json {
            names = try LabelNames.names(in: json, "links/0/schema")
        } else {
            self = try LabelNames(Input(call))
        }
        for name in names ?? [] where name.isEmpty { throw .validation(.missing("Label", "name")) }
    }

    private static func names(in json: JSON, _ path: String) throws(Refusal) -> [String] {
        guard case .array(let elements) = json else { throw .wrongType(path, json, expected: "an array") }
        var names: [String] = []
        for element in elements {
            if case .string(let name) = element {
                names.append(name)
            } else if case .object(let label) = element, case .string(let name)? = label["name"] {
                names.append(name)
            } else {
                throw .wrongType("\(path)/items", element, expected: "a string")
            }
        }
        return names
    }
}
