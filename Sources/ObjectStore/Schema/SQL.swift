/// Quotes all names, since a column may be called `order`.
enum SQL {
    static func quoted(_ name: String) -> String {
        "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    static func list(_ names: some Sequence<String>) -> String { names.map(quoted).joined(separator: ", ") }
}
