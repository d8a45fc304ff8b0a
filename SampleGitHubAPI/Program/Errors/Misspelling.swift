import ArgumentParser
import Foundation

/// An unknown word, with the most similar command or option.
struct Misspelling {
    /// `Unknown option '--sate'. Did you mean '--state'?`
    let message: String

    /// nil if all commands and options exist.
    init?(in arguments: [String]) {
        guard let tool = try? JSONDecoder().decode(Tool.self, from: Data(SampleProgram._dumpHelp().utf8)) else {
            return nil
        }
        var command = tool.command
        var path: [String] = []
        var isValue = false
        for argument in arguments {
            if argument == "--" || argument.hasPrefix("---") { return nil }
            if argument.hasPrefix("-"), argument != "-" {
                if !command.has(argument), let preset = command.preset { command = preset }
                if let message = command.messageAboutOption(argument, isValue: isValue) {
                    self.message = message
                    return
                }
                isValue = command.takesValue(argument)
                continue
            } else if let next = command.subcommand(argument) {
                path.append(next.commandName)
                command = next
            } else if command.subcommands != nil {
                let names = command.subcommandNames + (path.isEmpty ? SampleProgram.shortcuts.keys.sorted() : [])
                if let message = Self.messageAboutCommand(
                    argument, names, after: path, isCertain: command.preset == nil)
                {
                    self.message = message
                    return
                }
                guard let preset = command.preset else { return nil }
                command = preset
            }
            isValue = false
        }
        return nil
    }

    /// - Parameter isCertain: whether the word must be a command.
    private static func messageAboutCommand(
        _ word: String, _ names: [String], after path: [String], isCertain: Bool
    ) -> String? {
        func quoted(_ name: String) -> String { "'\((path + [name]).joined(separator: " "))'" }
        guard let nearest = word.nearest(of: names) else { return isCertain ? "Unknown command \(quoted(word))." : nil }
        return "Unknown command \(quoted(word)). Did you mean \(quoted(nearest))?"
    }
}

/// The argument parser's description.
private struct Tool: Decodable {
    let command: Command
}

private struct Command: Decodable {
    struct Argument: Decodable {
        let kind: String
        let names: [Name]?
    }

    struct Name: Decodable {
        let kind: String
        let name: String
    }

    let commandName: String
    let aliases: [String]?
    let subcommands: [Command]?
    let defaultSubcommand: String?
    let arguments: [Argument]?

    var preset: Command? { defaultSubcommand.flatMap(subcommand) }

    var subcommandNames: [String] { (subcommands ?? []).flatMap { [$0.commandName] + ($0.aliases ?? []) } }

    func subcommand(_ name: String) -> Command? {
        subcommands?.first { $0.commandName == name || $0.aliases?.contains(name) == true }
    }

    /// `state` or `s`.
    private func optionNames(isLong: Bool) -> [String] {
        (arguments ?? []).flatMap { $0.names ?? [] }.filter { ($0.kind != "short") == isLong }.map(\.name)
    }

    /// Reads `--state=all`, `-s`, or several of one letter.
    func has(_ argument: String) -> Bool {
        if argument.hasPrefix("--") { return optionNames(isLong: true).contains(Self.name(of: argument)) }
        return argument.dropFirst().allSatisfy { optionNames(isLong: false).contains(String($0)) }
    }

    func takesValue(_ option: String) -> Bool {
        let name = Self.name(of: option)
        return !option.contains("=")
            && (arguments ?? []).contains { $0.kind == "option" && $0.names?.contains { $0.name == name } == true }
    }

    /// - Parameter isValue: whether it may be an option's value, which is reported only with a suggestion.
    /// - Returns: nil for an existing option, a number, and the argument parser's own options.
    func messageAboutOption(_ argument: String, isValue: Bool) -> String? {
        let name = Self.name(of: argument)
        let isOwn = ["generate-completion-script", "experimental-dump-help", "help-hidden"].contains(name)
        guard !isOwn, name.first?.isNumber == false, !has(argument) else { return nil }
        let written = argument.hasPrefix("--") ? "--\(name)" : "-\(name)"
        let nearest = name.count > 1 ? name.nearest(of: optionNames(isLong: true)) : nil
        guard nearest != nil || !isValue else { return nil }
        return "Unknown option '\(written)'." + (nearest.map { " Did you mean '--\($0)'?" } ?? "")
    }

    /// `state` of `--state=all` and `-state`.
    private static func name(of argument: String) -> String {
        String(argument.drop { $0 == "-" }.prefix { $0 != "=" })
    }
}

extension String {
    /// At most two letters differ, or the end is missing.
    fileprivate func nearest(of names: [String]) -> String? {
        let limit = count < 4 ? 1 : 2
        let nearest = names.map { (name: $0, distance: distance(to: $0)) }.min { $0.distance < $1.distance }
        if let nearest, nearest.distance <= limit { return nearest.name }
        return names.first { count > 2 && $0.hasPrefix(self) }
    }

    /// Letters are inserted, removed, replaced or swapped with their neighbour.
    private func distance(to other: String) -> Int {
        let (old, new) = (Array(self), Array(other))
        var rows = [Array(0...new.count)]
        for (i, letter) in old.enumerated() {
            var row = [i + 1]
            for (j, otherLetter) in new.enumerated() {
                var steps = Swift.min(rows[i][j] + (letter == otherLetter ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, letter == new[j - 1], old[i - 1] == otherLetter {
                    steps = Swift.min(steps, rows[i - 1][j - 1] + 1)
                }
                row.append(steps)
            }
            rows.append(row)
        }
        return rows[old.count][new.count]
    }
}
