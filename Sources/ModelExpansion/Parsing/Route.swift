import Conventions

/// A URL template in the source.
struct Route {
    struct Malformed: Error {
        let reason: String
    }

    let literal: StringLiteral
    /// The first keys of its placeholders, each once: `repository` for `:repository.full_name`.
    let names: [String]

    init(_ literal: StringLiteral) throws(Malformed) {
        do {
            let template = try RouteTemplate(literal.value)
            var seen: Set<String> = []
            names = template.placeholders.compactMap(\.keyPath.first).filter { seen.insert($0).inserted }
            self.literal = literal
        } catch {
            guard case .malformed(_, _, let reason) = error else { throw Malformed(reason: "\(error)") }
            throw Malformed(reason: reason)
        }
    }

    func text(replacing name: String, with other: String) -> String {
        var text = ""
        var rest = literal.value[...]
        while let colon = rest.firstIndex(of: ":") {
            let start =
                rest[colon...].dropFirst().first == "{" ? rest.index(colon, offsetBy: 2) : rest.index(after: colon)
            text += rest[..<start]
            rest = rest[start...]
            if let end = rest.endOfPrefix(name) {
                text += other
                rest = rest[end...]
            }
        }
        return text + rest
    }
}

extension Substring {
    /// If the text begins with `name` as a whole word.
    fileprivate func endOfPrefix(_ name: String) -> Index? {
        guard hasPrefix(name) else { return nil }
        let end = index(startIndex, offsetBy: name.count)
        let continues = self[end...].first.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
        return continues ? nil : end
    }
}
