import Foundation
import RestfulData
import TestSupport

// A kept program's log, step by step: SIMULATION_TRACE names the file that it is written into. With SIMULATION_OBJECTS
// the objects of all contexts are written too, which makes them live: a program may then run differently.

extension Runner {
    private static let traceFile = ProcessInfo.processInfo.environment["SIMULATION_TRACE"].flatMap {
        path -> FileHandle? in
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return FileHandle(forWritingAtPath: path)
    }

    /// Writes the values of all contexts and the file after a step.
    func trace(_ title: @autoclosure () -> String) {
        guard let file = Self.traceFile else { return }
        var lines = ["== " + title()]
        lines += transport.log.suffix(3).map { "     server: " + $0 }
        let showsObjects = ProcessInfo.processInfo.environment["SIMULATION_OBJECTS"] != nil
        for host in hosts where showsObjects {
            lines += Kind.allCases.flatMap(host.all).map { "  \(host.index)  \(describe($0, in: host))" }
        }
        let database = try? Database(self.file.path)
        for kind in Kind.allCases {
            let rows = try? database?.rows("SELECT * FROM \"\(kind.rawValue)\"")
            lines += (rows ?? []).map { row in
                "  file \(kind) " + row.map { $0 ?? "-" }.joined(separator: " ")
            }
        }
        file.write(Data((lines.joined(separator: "\n") + "\n").utf8))
    }

    private func describe(_ object: any Thing, in host: Host) -> String {
        let kind = Kind.allCases.first { $0.type == type(of: object) }
        var text = "\(kind.map { "\($0)" } ?? "") \(text(object.tag)) id \(self.text(object.identifier))"
        for relation in Relation.allCases {
            if relation.isLink, relation.member == kind {
                text += " \(relation)→\(self.text(host.target(relation, of: object)?.tag))"
            }
            if relation.target == kind {
                text += " \(relation)←\(host.members(relation, of: object).map { self.text($0.tag) })"
            }
        }
        if let item = object as? Item { text += " labels \(item.labels.map { self.text($0.tag) })" }
        return text + " changed \(object.changedProperties) unsent \(object.unsentProperties)"
    }
}
