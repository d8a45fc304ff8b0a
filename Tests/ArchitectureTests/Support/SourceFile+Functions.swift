/// The declaration of a function or initialiser.
struct FoundFunction: Sendable {
    let name: String
    let line: Int
    /// The number of unlabelled parameters.
    let unlabelledCount: Int
}

extension SourceFile {
    /// The functions, initialisers and subscripts that the file declares, with their parameters counted.
    var functions: [FoundFunction] {
        let code = self.code
        return code.matches(of: Self.declaration).compactMap { match in
            let name = match.name.map(String.init) ?? "init"
            guard let parameters = Self.parameters(of: code[match.range.upperBound...]) else { return nil }
            let line = code[..<match.range.lowerBound].count { $0 == "\n" } + 1
            return FoundFunction(
                name: name, line: line,
                unlabelledCount: parameters.count { $0.firstMatch(of: Self.unlabelled) != nil })
        }
    }

    /// The parameters up to the parenthesis that closes the list.
    private static func parameters(of text: Substring) -> [String]? {
        var parameters = [""]
        var depth = 0
        for character in text {
            if depth == 0, character == ")" { return parameters }
            if depth == 0, character == "," {
                parameters.append("")
                continue
            }
            if "([{".contains(character) { depth += 1 }
            if ")]}".contains(character) { depth -= 1 }
            parameters[parameters.count - 1].append(character)
        }
        return nil
    }

    // A regular expression is non-`Sendable`, so each use has its own.
    private static var declaration: Regex<(Substring, name: Substring?)> {
        /(?:\bfunc\s+(?<name>`?\w+`?)|(?:^|\s)init[?!]?)\s*(?:<[^(]*>)?\(/
    }

    private static var unlabelled: Regex<Substring> { /^\s*_\s+\w+\s*:/ }
}
