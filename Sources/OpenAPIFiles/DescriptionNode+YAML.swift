import Foundation
import JSONBytes
import Synchronization
import Yams

extension DescriptionNode {
    /// By YAML 1.2.2 §10.2 (JSON schema), `on`, `yes` and dates are texts.
    static func yaml(_ bytes: [UInt8]) throws(UnreadableYAML) -> DescriptionNode {
        let text = String(decoding: bytes, as: UTF8.self)
        return try onDeepStack { () throws(UnreadableYAML) in
            let root: Node?
            do { root = try Yams.compose(yaml: text) } catch { throw UnreadableYAML(reason: "\(error)") }
            var reader = YAMLReader()
            return try root.map { root throws(UnreadableYAML) in try reader.node(root, depth: 0) } ?? .null
        }
    }

    /// libyaml nests up to 1,000 levels, and Yams recurses for each, which exceeds a stack of 512 KB.
    private static func onDeepStack(
        _ body: @escaping @Sendable () throws(UnreadableYAML) -> DescriptionNode
    ) throws(UnreadableYAML) -> DescriptionNode {
        let outcome = Mutex<Result<DescriptionNode, UnreadableYAML>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let box = Handover(outcome: outcome, done: done)
        let thread = Thread { box.run(body) }
        thread.stackSize = 16 << 20
        thread.start()
        box.done.wait()
        return try (box.result ?? .failure(UnreadableYAML(reason: "it was not read"))).get()
    }
}

struct UnreadableYAML: Error, CustomStringConvertible {
    let reason: String
    var description: String { reason }
}

private final class Handover: Sendable {
    private let outcome: Mutex<Result<DescriptionNode, UnreadableYAML>?>
    let done: DispatchSemaphore

    init(outcome: consuming sending Mutex<Result<DescriptionNode, UnreadableYAML>?>, done: DispatchSemaphore) {
        self.outcome = outcome
        self.done = done
    }

    var result: Result<DescriptionNode, UnreadableYAML>? { outcome.withLock { $0 } }

    func run(_ body: () throws(UnreadableYAML) -> DescriptionNode) {
        let result: Result<DescriptionNode, UnreadableYAML>
        do { result = .success(try body()) } catch { result = .failure(error) }
        outcome.withLock { $0 = result }
        done.signal()
    }
}

private struct YAMLReader {
    /// Aliases can make a small file very large. GitHub's description has fewer than a million values.
    private static let maximumCount = 5_000_000
    private var count = 0

    mutating func node(_ node: Node, depth: Int) throws(UnreadableYAML) -> DescriptionNode {
        count += 1
        guard count <= Self.maximumCount else {
            throw UnreadableYAML(reason: "with its aliases written out it has more than \(Self.maximumCount) values")
        }
        guard depth < DescriptionNode.maximumDepth else {
            throw UnreadableYAML(reason: "it nests deeper than \(DescriptionNode.maximumDepth) levels")
        }
        switch node {
        case .scalar(let scalar): return Self.scalar(scalar)
        case .sequence(let sequence):
            var elements: [DescriptionNode] = []
            for element in sequence { elements.append(try self.node(element, depth: depth + 1)) }
            return .array(elements)
        case .mapping(let mapping):
            var members = DescriptionMembers()
            for (key, value) in mapping {
                let value = try self.node(value, depth: depth + 1)
                let name = key.scalar?.string ?? ""
                // YAML's merge key, as in `<<: *common` and `<<: [*common, *other]`.
                guard name == "<<", let merged = Self.merged(value) else {
                    members.set(name, to: value)
                    continue
                }
                for (name, value) in merged.flatMap(\.pairs) where members[name] == nil { members.set(name, to: value) }
            }
            return .object(members)
        case .alias(let alias):
            throw UnreadableYAML(reason: "its alias *\(alias.anchor) can't be read; write the value instead")
        }
    }

    /// Of several objects, earlier ones win; nil for other values.
    private static func merged(_ value: DescriptionNode) -> [DescriptionMembers]? {
        if let members = value.members { return [members] }
        let objects = value.elements.compactMap(\.members)
        return objects.count == value.elements.count && !objects.isEmpty ? objects : nil
    }

    private static func scalar(_ scalar: Node.Scalar) -> DescriptionNode {
        guard scalar.style == .plain || scalar.style == .any else { return .string(scalar.string) }
        switch scalar.string {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        case let text: return JSONText.isNumber(text) ? .number(text) : .string(text)
        }
    }
}
