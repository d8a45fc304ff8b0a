@testable import ObjectStore

/// Short descriptions of the steps of a program, independent of the order of dictionaries.
protocol FactTextual { var text: String { get } }

extension Dictionary where Key: Comparable, Value: FactTextual {
    var text: String { "[" + ordered.map { "\($0.key): \($0.value.text)" }.joined(separator: ", ") + "]" }
}

extension ChangeStamp: FactTextual {
    var text: String { "\(rawValue)" }
}

extension Set: FactTextual where Element == ChangeStamp {
    var text: String { sorted().map(\.text).joined(separator: "+") }
}

extension FactEdit: FactTextual where Value == ModelValue {
    var text: String { "\(value) (\(id.text) \(position.text))" }
}

extension FactBase: FactTextual where Value == ModelValue {
    var text: String { (value.map { "\($0)" } ?? "unknown") + " (\(stamp.text))" + (isAtRisk ? " at risk" : "") }
}

extension ModelRow: CustomStringConvertible {
    var description: String { "\(kind)\(number)" }
}

extension ModelFact: CustomStringConvertible {
    var description: String {
        switch self {
        case .value(let row): "\(row).value"
        case .link(let row): "\(row).link"
        case .pair(let note, let tag): "\(note)~\(tag)"
        case .order(let row): "\(row).order"
        case .life(let row): "\(row).life"
        case .identity(let row): "\(row).identity"
        }
    }
}

extension ModelValue: CustomStringConvertible, FactTextual {
    var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .sequence(let numbers): "\(numbers)"
        case .link(let row): row.map { "->\($0)" } ?? "->nil"
        case .flag(let flag): flag ? "yes" : "no"
        case .identity(let number): "#\(number)"
        case .order(let rows, let isWhole): isWhole ? "whole\(rows)" : "\(rows)"
        case .notHere(let row): "not in \(row)"
        }
    }

    var text: String { description }
}

extension ModelRequestKind: CustomStringConvertible {
    var description: String {
        switch self {
        case .list(let owner): "list of \(owner)"
        case .pair(let note, let tag): "pair \(note)~\(tag)"
        case .object(let row, let all): all ? "all of \(row)" : "edits of \(row)"
        case .life(let row): "life of \(row)"
        case .rename(let row): "name of \(row)"
        }
    }
}

extension ModelAnswer: CustomStringConvertible {
    var description: String {
        var parts = objects.map { "\($0.name)=\($0.value)" + ($0.link.map { "->\($0)" } ?? "") }
        parts += lists.map { "\($0.owner)\($0.isPart ? " part" : "")\($0.members)" }
        if let missing { parts.append("no \(missing)") }
        return parts.joined(separator: ", ")
    }
}

extension FactServer.Question: CustomStringConvertible {
    var description: String {
        switch self {
        case .index(let kind): "all \(kind)s"
        case .object(let row): "\(row)"
        case .list(let owner, let limit): "list of \(owner)" + (limit.map { " (\($0))" } ?? "")
        }
    }
}

extension FactServer.Entry: FactTextual {
    var text: String { "\(value) at \(at)" + (request.map { " by \($0.text)" } ?? "") }
}

extension FactServer.Reply: CustomStringConvertible {
    var description: String { values.text + (identity.map { " named \($0)" } ?? "") }
}

extension FactLog {
    /// The whole state, for comparing two runs.
    var text: String {
        let edits = edits.ordered.map { "\($0.key): \($0.value.text)" }.joined(separator: " ")
        return "\(clock) \(edits) bases \(bases.text) open \(open.map { "\($0.stamp.text) \($0.body.sent.text)" })"
    }
}
