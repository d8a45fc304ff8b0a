import ArgumentParser
import Foundation

/// Text for people, whole fields for a pipe, or JSON.
struct Output<Shown: Presentable>: ParsableArguments {
    @Option(
        defaultAsFlag: JSONFields(),
        help: ArgumentHelp(
            "Print JSON with these fields, or with all: \(Shown.fieldNames.joined(separator: ", ")).",
            valueName: "fields"))
    var json: JSONFields?

    func validate() throws {
        for name in json?.names ?? [] where Shown.fields[name] == nil {
            throw ValidationError(
                "Unknown JSON field '\(name)'; there are \(Shown.fieldNames.joined(separator: ", ")).")
        }
    }

    /// Whether JSON has a field that takes a request of its own.
    func wants(_ extraField: String) -> Bool { json?.names.contains(extraField) ?? false }

    /// As a card, or as JSON.
    func show(_ object: Shown) throws {
        guard json == nil else { return try write([document(object).text]) }
        try write(Terminal.width == nil ? object.card.wholeLines : object.card.lines)
    }

    /// As rows, or as a JSON array.
    ///
    /// - Parameter place: for the message about an empty list.
    func show(_ list: [Shown], limit: Int, in place: String) throws {
        let list = Array(list.prefix(limit))
        guard json == nil else { return try write([JSON.array(list.map(document)).text]) }
        let table = Table(columns: Shown.columns, rows: list)
        guard let width = Terminal.width else { return try write(table.wholeLines) }
        guard !list.isEmpty else { return note("No \(Shown.noun.many) in \(place).") }
        let count = "\(list.count) \(list.count == 1 ? Shown.noun.one : Shown.noun.many)"
        let more = list.count == limit ? "; --limit may show more" : ""
        try write(table.lines(width: width) + ["", count + more])
    }

    /// Or the object's JSON.
    func showAddress(of object: Shown) throws {
        try write([json == nil ? object.htmlURL?.absoluteString ?? object.card.title.onOneLine : document(object).text])
    }

    /// On standard error, and the object's JSON if the user wants it.
    func tell(_ done: String, _ object: Shown) throws {
        note(done)
        if json != nil { try write([document(object).text]) }
    }

    private func document(_ object: Shown) -> JSON {
        let all = Shown.fieldNames.filter { !Shown.extraFields.contains($0) }
        return object.json(json.flatMap { $0.names.isEmpty ? nil : $0.names } ?? all)
    }
}

/// `number,title`. An empty list stands for all fields.
struct JSONFields: ExpressibleByArgument, CustomStringConvertible {
    var names: [String] = []
    var description: String { names.isEmpty ? "all" : names.joined(separator: ",") }

    init() {}

    init?(argument: String) {
        names = argument.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

/// Of commands that show no object.
struct JSONFlag: ParsableArguments {
    @Flag(help: "Print one JSON document, keys sorted, instead of text.") var json = false

    func show(_ text: String, json document: JSON) throws {
        try write([json ? document.text : text])
    }
}
