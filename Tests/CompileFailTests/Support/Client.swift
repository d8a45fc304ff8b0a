/// A small program that uses the library.
struct Client: Hashable, Sendable {
    /// The compiler settings under which a client may be built.
    enum Settings: CaseIterable, Sendable {
        /// Only the Swift 6 language mode.
        case swift6
        /// All upcoming features that the library itself is built with.
        case upcoming
        /// The Swift 6 language mode, with the main actor as the default isolation.
        case mainActor
        /// Xcode's settings of a new app.
        case xcodeApp
        /// Only the Swift 5 language mode.
        case swift5

        /// Those that refuse data races.
        static let strict: [Settings] = [.swift6, .upcoming, .mainActor]

        /// Whether declarations are the main actor's by default.
        var isMainActors: Bool { self == .mainActor || self == .xcodeApp }

        /// Whether asynchronous functions run on their caller's actor by default.
        var runsFunctionsWhereTheyAreCalled: Bool { features.contains("NonisolatedNonsendingByDefault") }

        var flags: [String] {
            let features = features.flatMap { ["-enable-upcoming-feature", $0] }
            let isolation = isMainActors ? ["-default-isolation", "MainActor"] : []
            return ["-swift-version", self == .swift5 || self == .xcodeApp ? "5" : "6"] + isolation + features
        }

        private var features: [String] {
            switch self {
            case .upcoming:
                [
                    "ExistentialAny", "ImmutableWeakCaptures", "InferIsolatedConformances", "InternalImportsByDefault",
                    "MemberImportVisibility", "NonisolatedNonsendingByDefault",
                ]
            case .xcodeApp:
                [
                    "DisableOutwardActorInference", "GlobalActorIsolatedTypesUsability", "InferIsolatedConformances",
                    "InferSendableFromCaptures", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
                ]
            case .swift6, .mainActor, .swift5: []
            }
        }
    }

    /// Imports and models that several programs share, in a file of their own.
    var models = ""
    /// The program's file. Its default imports are those of `models`.
    let source: String
    /// Whether the program is compiled in a call of its own, exactly as it is written.
    var isAlone = false
    /// Whether its test expects an error. The verdict is independent of it.
    var isRefused = false

    /// The modules that the program sees. If `MemberImportVisibility` is off, an import shows a module's members to all
    /// files, so only programs with equal imports are compiled together.
    var imports: Set<Substring> { Set((models + "\n" + source).split(separator: "\n").filter(Self.isImport)) }

    /// The program as the only file of its module.
    var file: String { models.isEmpty ? source : models + "\n" + source }

    static func isImport(_ line: Substring) -> Bool { line.hasPrefix("import ") }
}
