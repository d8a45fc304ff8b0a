import ArgumentParser
import Foundation
import RestfulData

/// Completions for a shell, read from an existing store only. Each function takes the words of the command line, the
/// index of the word to complete, and that word's beginning. Before a repository is typed, it offers repositories.
enum StoredNames {
    @Sendable static func repositories(words: [String], index: Int, prefix: String) async -> [String] {
        await names(words, index, in: { store, _ in try store.main.query(Repository.self).fetch().map(\.fullName) })
    }

    @Sendable static func users(words: [String], index: Int, prefix: String) async -> [String] {
        await names(words, index, in: { store, _ in try ["@me"] + store.main.query(User.self).fetch().map(\.login) })
    }

    /// The newest first.
    @Sendable static func issues(words: [String], index: Int, prefix: String) async -> [String] {
        await names(
            words, index,
            inRepository: { repository in
                repository.issues.compactMap(\.number).sorted(by: >).map(String.init)
            })
    }

    @Sendable static func labels(words: [String], index: Int, prefix: String) async -> [String] {
        await names(words, index, inRepository: { $0.labels.map(\.name) })
    }

    @Sendable static func milestones(words: [String], index: Int, prefix: String) async -> [String] {
        await names(words, index, inRepository: { $0.milestones.map(\.title) })
    }

    @MainActor private static func names(
        _ words: [String], _ index: Int, inRepository find: @MainActor (Repository) throws -> [String]
    ) -> [String] {
        names(
            words, index,
            in: { store, named in
                let repositories = try store.main.query(Repository.self).fetch()
                guard let named else { return repositories.map(\.fullName) }
                let repository = repositories.first { $0.fullName.lowercased() == named.fullName.lowercased() }
                return try repository.map { try find($0) } ?? []
            })
    }

    @MainActor private static func names(
        _ words: [String], _ index: Int, in find: @MainActor (Store, RepositoryName?) throws -> [String]
    ) -> [String] {
        var words = words
        if words.indices.contains(index) { words.remove(at: index) }
        let path = value(of: ["--store"], in: words) ?? "github.sqlite"
        guard FileManager.default.fileExists(atPath: path),
            let store = try? Store(.file(path), models: GitHub.models, api: .gitHub(ServiceOptions.gitHub))
        else { return [] }
        defer { store.close() }
        return (try? find(store, repository(in: words))) ?? []
    }

    /// From an option, a word or the environment.
    private static func repository(in words: [String]) -> RepositoryName? {
        if let text = value(of: ["-R", "--repo"], in: words) { return RepositoryName(argument: text) }
        let named = words.dropFirst().lazy.filter { !$0.hasPrefix("-") }.compactMap { RepositoryName(argument: $0) }
            .first
        return named ?? ProcessInfo.processInfo.environment["GH_REPO"].flatMap { RepositoryName(argument: $0) }
    }

    private static func value(of names: Set<String>, in words: [String]) -> String? {
        for (name, value) in zip(words, words.dropFirst()) where names.contains(name) { return value }
        return words.lazy.compactMap { word in
            names.first { word.hasPrefix($0 + "=") }.map { String(word.dropFirst($0.count + 1)) }
        }.first
    }
}
