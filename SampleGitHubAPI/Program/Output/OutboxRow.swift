import Foundation
import RestfulData

/// A row of a list, and JSON.
struct OutboxRow {
    let entry: OutboxEntry
    let state: String
    /// nil if it only waits for its turn.
    let reason: String?

    /// - Parameter isSent: since the entry was read.
    init(_ entry: OutboxEntry, isSent: Bool = false) {
        let shown: (state: String, reason: String?) =
            switch entry.state {
            case _ where isSent: ("sent", nil)
            case .waiting: ("waiting", nil)
            case .blocked(let reason): ("blocked", reason)
            case .sending: ("sending", nil)
            case .rejected(let rejection): ("rejected", "\(rejection)")
            }
        self.entry = entry
        state = shown.state
        reason = shown.reason
    }

    /// Or else a description.
    var request: String { entry.request ?? "\(action) \(entry.object)" }

    /// - Parameter baseURL: left out on a terminal.
    static func columns(below baseURL: String) -> [Column<OutboxRow>] {
        [
            Column(title: "#", alignment: .trailing, style: .cyan) { String($0.entry.id) },
            Column(title: "STATE", rowStyle: \.style) { $0.state },
            Column(title: "REQUEST", isFlexible: true, wholeText: \.request) {
                $0.request.replacing(baseURL, with: "")
            },
            Column(title: "BODY", isFlexible: true) { $0.entry.body ?? "" },
            Column(title: "SINCE", wholeText: \.entry.since.text) { $0.entry.since.day },
            Column(title: "REASON", isFlexible: true) { $0.reason ?? "" },
        ]
    }

    var json: JSON {
        [
            "action": JSON(action), "body": JSON(entry.body), "list": JSON(list), "model": JSON(entry.model),
            "number": JSON(Int(entry.id)), "object": JSON(entry.object), "reason": JSON(reason),
            "request": JSON(entry.request), "since": JSON(entry.since), "state": JSON(state),
        ]
    }

    var style: Style {
        switch state {
        case "sent": .green
        case "rejected": .red
        default: .plain
        }
    }

    private var action: String {
        switch entry.action {
        case .create: "create"
        case .update: "update"
        case .delete: "delete"
        case .add: "add"
        case .remove: "remove"
        }
    }

    /// An object joins or leaves it.
    private var list: String? {
        switch entry.action {
        case .add(let list), .remove(let list): list
        case .create, .update, .delete: nil
        }
    }
}

extension JSONFlag {
    /// A row each, or a JSON array.
    func show(_ rows: [OutboxRow], below baseURL: String) throws {
        guard !json else { return try write([JSON.array(rows.map(\.json)).text]) }
        let table = Table(columns: OutboxRow.columns(below: baseURL), rows: rows)
        guard let width = Terminal.width else { return try write(table.wholeLines) }
        guard !rows.isEmpty else { return note("No changes wait.") }
        try write(table.lines(width: width))
    }

    /// On standard error, and the change's JSON if the user wants it.
    func tell(_ done: String, _ row: OutboxRow) throws {
        note(done)
        if json { try write([row.json.text]) }
    }
}
