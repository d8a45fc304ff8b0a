import Foundation

/// Programs with equal imports, compiled in one call: each is a file of one module.
///
/// The programs are independent: the names of types have a suffix, functions and variables are private to their file,
/// and a program that extends a type of the library is compiled alone.
///
/// The compiler type-checks a whole module before it looks for data races, so the error of one program hides races in
/// another. Programs that are free of errors are compiled again, until a call succeeds. For this reason programs that
/// should be refused are in batches of their own.
struct Batch: Sendable {
    let programs: [Client]
    let settings: Client.Settings

    /// The fewest batches of the programs.
    static func batches(of programs: [Client], _ settings: Client.Settings) -> [Batch] {
        var batches: [[Client]] = []
        for program in programs {
            let index = batches.firstIndex { $0[0].joins(program) }
            if let index { batches[index].append(program) } else { batches.append([program]) }
        }
        return batches.map { Batch(programs: $0, settings: settings) }
    }

    /// Compiles the programs down to the checks of data races.
    ///
    /// - Parameters:
    ///   - compiler: the compiler of the build.
    ///   - flags: further flags of each call.
    ///   - folder: an empty folder for the files.
    func verdicts(
        of compiler: ClientCompiler, flags: [String], in folder: URL
    ) async throws -> [Client: Verdict] {
        var files = try files(in: folder)
        var verdicts: [Client: Verdict] = [:]
        while !files.isEmpty {
            let paths = Set(files.flatMap(\.paths)).sorted()
            let call = try await compiler.check(paths, settings.flags + flags, in: folder)
            let log = CompilerLog(call.log, files: paths)
            let refused = files.filter { $0.hasErrors(in: log) }
            let isEnd = call.isAccepted || refused.isEmpty
            for file in isEnd ? files : refused {
                // An error outside of all files is every program's.
                let text = isEnd && !call.isAccepted ? call.log : file.text(in: log)
                verdicts[file.program] = Verdict(isAccepted: call.isAccepted, log: text)
            }
            files = isEnd ? [] : files.filter { verdicts[$0.program] == nil }
        }
        return verdicts
    }

    /// Writes the programs and their models.
    private func files(in folder: URL) throws -> [ProgramFile] {
        if programs.count == 1 { return [try ProgramFile(asItIsWritten: programs[0], in: folder)] }
        var models: [String: ModelsFile] = [:]
        for text in programs.map(\.models) where !text.isEmpty && models[text] == nil {
            models[text] = try ModelsFile(text, number: models.count, in: folder)
        }
        return try programs.enumerated().map { index, program in
            try ProgramFile(program, number: index, beside: models[program.models], in: folder)
        }
    }
}

/// Models of several programs, as a file of a batch.
private struct ModelsFile {
    let path: String
    let types: Set<String>
    let suffix: String

    init(_ models: String, number: Int, in folder: URL) throws {
        types = Client.declaredTypes(in: models)
        suffix = "_m\(number)"
        path = folder.appending(path: "Models\(number).swift").path
        try Data(models.renaming(types, suffix: suffix).withPrivateFunctions.utf8).write(to: URL(filePath: path))
    }
}

/// A program as a file of a batch.
private struct ProgramFile {
    let program: Client
    private let path: String
    private let models: ModelsFile?
    /// The end of the names of its types, which the program lacks as it is written.
    private let suffix: String?

    init(asItIsWritten program: Client, in folder: URL) throws {
        self.program = program
        (models, suffix) = (nil, nil)
        path = folder.appending(path: "Program.swift").path
        try Data(program.file.utf8).write(to: URL(filePath: path))
    }

    init(_ program: Client, number: Int, beside models: ModelsFile?, in folder: URL) throws {
        self.program = program
        self.models = models
        let suffix = "_p\(number)"
        self.suffix = suffix
        path = folder.appending(path: "Program\(number).swift").path
        var text = program.source
        if let models { text = text.renaming(models.types, suffix: models.suffix) }
        text = text.renaming(Client.declaredTypes(in: program.source), suffix: suffix).withPrivateFunctions
        let hasImports = program.source.split(separator: "\n").contains(where: Client.isImport)
        if !hasImports { text = program.imports.sorted().joined(separator: "\n") + "\n" + text }
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    var paths: [String] { [models?.path, path].compactMap(\.self) }

    func hasErrors(in log: CompilerLog) -> Bool { paths.contains(where: log.hasErrors) }

    /// The output about the program and its models, with the names as the program has them.
    func text(in log: CompilerLog) -> String {
        [suffix, models?.suffix].compactMap(\.self).reduce(paths.map(log.text).joined()) {
            $0.replacing($1, with: "")
        }
    }
}

extension Client {
    /// Whether both may be compiled in one call.
    fileprivate func joins(_ other: Client) -> Bool {
        isShared && other.isShared && isRefused == other.isRefused && imports == other.imports
    }

    private var isShared: Bool {
        guard !isAlone else { return false }
        let extended = source.matches(of: /(?m)^(?:\w+ )*extension (\w+)/).map { String($0.output.1) }
        return Client.declaredTypes(in: source).isSuperset(of: extended)
    }

    /// The types that a file declares at its top level.
    fileprivate static func declaredTypes(in source: String) -> Set<String> {
        let declaration = /(?m)^(?:@\w+(?:\([^\n]*?\))? |[a-z]+ )*(?:actor|class|enum|protocol|struct|typealias) (\w+)/
        return Set(source.matches(of: declaration).map { String($0.output.1) })
    }
}

extension String {
    /// The source with a suffix to all names.
    fileprivate func renaming(_ names: Set<String>, suffix: String) -> String {
        names.reduce(self) { text, name in
            // The name is one word, so that it is a pattern of itself.
            guard let word = try? Regex("\\b\(name)\\b").wordBoundaryKind(.simple) else { return text }
            return text.replacing(word, with: name + suffix)
        }
    }

    /// The source, with its functions and variables made private to the file.
    fileprivate var withPrivateFunctions: String {
        replacing(#/(?m)^((?:@\w+ |nonisolated(?:\(nonsending\))? )*)(func|let|var) /#) {
            "\($0.output.1)fileprivate \($0.output.2) "
        }
    }
}
