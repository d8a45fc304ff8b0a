import Foundation
import RestfulData

@Model("/folders") final class TreeFolder {
    var identifier: Int?
    /// Makes a second creation equal to the first.
    var uid = ""
    var name = ""
    var parent: TreeFolder?
    @Relationship(inverse: "parent", onDelete: .cascade) var folders: [TreeFolder]
    @Relationship(inverse: "folder", onDelete: .cascade) var files: [TreeFile]
}

@Model("/files") final class TreeFile {
    var identifier: Int?
    var uid = ""
    var name = ""
    var folder: TreeFolder?
}

/// Folders and files are created, moved and renamed in two contexts, each of which has some of its own, and deleted
/// with their contents, locally and elsewhere.
final class FileTree: Scenario {
    enum Step: Sendable {
        case make(isFile: Bool, in: Int, byList: Bool)
        case move(Int, to: Int, byList: Bool)
        case rename(Int, name: Int)
        case delete(Int)
        case save(isMain: Bool)
        case sync, restart
        case fetchFolders(isMain: Bool)
        case fetchFiles(isMain: Bool)
        case fetchFolder(Int)
        case fetchMembers(Int)
        case othersDelete(Int)
        case othersMake(in: Int)
    }

    private struct Node {
        var isFile: Bool
        /// Whether the main context makes, moves and renames it.
        var isMain: Bool
        var name: String
        var parent: String?
    }

    let stage: Stage
    private var side: SideContext
    private var expected: [String: Node] = [:]
    /// Nodes that are deleted, or may be by a cascade.
    private var gone: Set<String> = []
    private let isSplit: Bool
    private var isSyncing = false
    private var count = 0

    init(variant: Int) async throws {
        isSplit = variant % 3 != 0
        stage = try Stage([TreeFolder.self, TreeFile.self])
        stage.server.with { Self.begin(&$0, names: variant % 2 == 0) }
        side = SideContext(stage.store)
        for folder in try await TreeFolder.fetchAll(in: stage.main) {
            let id = folder.identifier ?? 0
            expected[folder.uid] = Node(
                isFile: false, isMain: !isSplit || id % 2 == 0, name: folder.name, parent: folder.parent?.uid)
        }
        for file in try await TreeFile.fetchAll(in: stage.main) {
            let id = file.identifier ?? 0
            expected[file.uid] = Node(
                isFile: true, isMain: !isSplit || id % 2 == 0, name: file.name, parent: file.folder?.uid)
        }
    }

    static func step(_ dice: inout Dice) -> Step {
        switch dice.roll(24) {
        case 0, 1: .make(isFile: dice.flip(), in: dice.pick(), byList: dice.flip())
        case 2...7: .move(dice.pick(), to: dice.pick(), byList: dice.flip())
        case 8: .rename(dice.pick(), name: dice.roll(4))
        case 9: dice.roll(3) == 0 ? .delete(dice.pick()) : .sync
        case 10...12: .save(isMain: dice.flip())
        case 13...16: .sync
        case 17: .fetchFolders(isMain: dice.flip())
        case 18: .fetchFiles(isMain: dice.flip())
        case 19: .fetchFolder(dice.pick())
        case 20: .fetchMembers(dice.pick())
        case 21: dice.roll(3) == 0 ? .othersDelete(dice.pick()) : .othersMake(in: dice.pick())
        case 22: dice.flip() ? .restart : .sync
        default: .sync
        }
    }

    // MARK: State

    private func context(_ isMain: Bool) -> ObjectContext { isMain ? stage.main : side.context }
    private func name(_ isMain: Bool) -> String { isMain ? "main" : "the side" }

    /// Whether it is in a folder, or is it.
    private func isWithin(_ uid: String, _ folder: String) -> Bool {
        var next: String? = uid
        while let here = next {
            if here == folder { return true }
            next = expected[here]?.parent
        }
        return false
    }

    /// Whether nothing that it is in may have gone.
    private func isCertain(_ uid: String) -> Bool { !gone.contains { isWithin(uid, $0) } }

    private var nodes: [String] { expected.keys.filter(isCertain).sorted() }

    private func pick(_ uids: [String], _ pick: Int) -> String? { uids.isEmpty ? nil : uids[pick % uids.count] }

    private func folder(_ uid: String, in context: ObjectContext) throws -> TreeFolder? {
        // One whose creation had no answer may be there twice until it is sent again.
        let same = try context.query(TreeFolder.self).where { $0.uid == uid }.fetch()
        return same.first { $0.identifier == nil } ?? same.first
    }

    private func file(_ uid: String, in context: ObjectContext) throws -> TreeFile? {
        let same = try context.query(TreeFile.self).where { $0.uid == uid }.fetch()
        return same.first { $0.identifier == nil } ?? same.first
    }

    // MARK: Steps

    func take(_ step: Step) async throws -> String? {
        switch step {
        case .make(let isFile, let pick, let byList): return try make(isFile: isFile, pick, byList: byList)
        case .move(let pick, let to, let byList): return try move(pick, to, byList: byList)
        case .rename(let pick, let name):
            guard let uid = self.pick(nodes, pick), let node = expected[uid] else { return nil }
            let context = context(node.isMain)
            expected[uid]?.name = "t\(name)"
            if node.isFile {
                try file(uid, in: context)?.name = "t\(name)"
            } else {
                try folder(uid, in: context)?.name = "t\(name)"
            }
            return "\(uid).name = t\(name)"
        case .delete(let pick): return try delete(pick)
        case .save(let isMain):
            await stage.attempt { try await context(isMain).save() }
            return "save \(name(isMain))"
        case .sync:
            stage.begin { await self.sync() }
            return "sync"
        case .fetchFolders(let isMain):
            stage.begin { [context = context(isMain)] in
                _ = try await TreeFolder.fetchAll(pages: .all(), prune: .delete, in: context)
            }
            return "fetch folders in \(name(isMain))"
        case .fetchFiles(let isMain):
            stage.begin { [context = context(isMain)] in
                _ = try await TreeFile.fetchAll(pages: .all(), prune: .delete, in: context)
            }
            return "fetch files in \(name(isMain))"
        case .fetchFolder(let pick):
            guard let uid = self.pick(nodes.filter { expected[$0]?.isFile == false }, pick),
                let folder = try folder(uid, in: stage.main), folder.identifier != nil
            else { return nil }
            stage.begin { _ = try await folder.fetch() }
            return "fetch \(uid)"
        case .fetchMembers(let pick):
            guard let uid = self.pick(nodes.filter { expected[$0]?.isFile == false }, pick),
                let folder = try folder(uid, in: stage.main), folder.identifier != nil
            else { return nil }
            stage.begin {
                if pick % 2 == 0 { _ = try await folder.$files.fetch() } else { _ = try await folder.$folders.fetch() }
            }
            return "fetch the \(pick % 2 == 0 ? "files" : "folders") of \(uid)"
        case .restart:
            try await stage.restart {
                // The loss of a deleted object's edits is reported once.
                await stage.attempt { try await stage.main.save() }
                await stage.attempt { try await side.context.save() }
            }
            side = SideContext(stage.store)
            return "restart"
        case .othersDelete, .othersMake: return takeElsewhere(step)
        }
    }

    private func takeElsewhere(_ step: Step) -> String? {
        let rows = stage.server.with { $0.tables["folders"] ?? [] }
        switch step {
        case .othersDelete(let pick):
            guard rows.count > 2 else { return nil }
            let row = rows[pick % rows.count]
            noteGone(row.text("uid"))
            stage.server.with { $0.remove("folders", row.id) }
            return "others delete \(row.text("uid"))"
        case .othersMake(let pick):
            guard !rows.isEmpty else { return nil }
            let parent = rows[pick % rows.count]
            count += 1
            let uid = "x\(count)"
            stage.server.with {
                _ = $0.insert("files", ["uid": .string(uid), "name": "theirs", "folder_id": parent["id"] ?? .null])
            }
            return "others make \(uid) in \(parent.text("uid"))"
        default: return nil
        }
    }

    /// Notes the nodes that are deleted with a folder, locally and at the server.
    private func noteGone(_ uid: String) {
        gone.insert(uid)
        gone.formUnion(expected.keys.filter { isWithin($0, uid) })
        gone.formUnion(stage.server.with { $0.within(uid) })
    }

    private func make(isFile: Bool, _ pick: Int, byList: Bool) throws -> String? {
        guard expected.count < 16 else { return nil }
        count += 1
        let uid = "u\(count)"
        let isMain = !isSplit || count % 2 == 0
        let context = context(isMain)
        let parent = self.pick(nodes.filter { expected[$0]?.isFile == false }, pick)
        guard let parent, let owner = try folder(parent, in: context) else { return nil }
        if isFile {
            let file = TreeFile(in: context)
            (file.uid, file.name) = (uid, "t")
            if byList { owner.files.append(file) } else { file.folder = owner }
        } else {
            let folder = TreeFolder(in: context)
            (folder.uid, folder.name) = (uid, "t")
            if byList { owner.folders.append(folder) } else { folder.parent = owner }
        }
        expected[uid] = Node(isFile: isFile, isMain: isMain, name: "t", parent: parent)
        let kind = isFile ? "file" : "folder"
        return "in \(name(isMain)), make \(kind) \(uid) in \(parent)\(byList ? ", by its list" : "")"
    }

    private func move(_ pick: Int, _ to: Int, byList: Bool) throws -> String? {
        guard let uid = self.pick(nodes, pick), let node = expected[uid] else { return nil }
        // The target is neither in the node nor its current folder.
        let targets = nodes.filter { expected[$0]?.isFile == false && !isWithin($0, uid) && $0 != node.parent }
        let context = context(node.isMain)
        guard let target = self.pick(targets, to), let owner = try folder(target, in: context) else { return nil }
        if node.isFile {
            guard let file = try file(uid, in: context) else { return nil }
            if byList { owner.files.append(file) } else { file.folder = owner }
        } else {
            guard let folder = try folder(uid, in: context) else { return nil }
            if byList { owner.folders.append(folder) } else { folder.parent = owner }
        }
        expected[uid]?.parent = target
        return "in \(name(node.isMain)), move \(uid) to \(target)\(byList ? ", by its list" : "")"
    }

    private func delete(_ pick: Int) throws -> String? {
        guard let uid = self.pick(nodes, pick), let node = expected[uid] else { return nil }
        if node.isFile {
            guard let file = try file(uid, in: stage.main), file.identifier != nil else { return nil }
            noteGone(uid)
            stage.begin { try await file.delete() }
        } else {
            guard let folder = try folder(uid, in: stage.main), folder.identifier != nil else { return nil }
            noteGone(uid)
            stage.begin { try await folder.delete() }
        }
        return "delete \(uid) at the server"
    }

    // MARK: Sending

    private func sync() async {
        guard !isSyncing else { return }
        isSyncing = true
        defer { isSyncing = false }
        await stage.attempt { try await side.context.save() }
        await stage.attempt { try await stage.main.save() }
        // The contents of other folders come after these.
        for uid in expected.keys.sorted(by: { (depth($0), $0) < (depth($1), $1) }) where isCertain(uid) {
            await stage.attempt {
                if let folder = try folder(uid, in: stage.main) {
                    try await send(folder, isNew: folder.identifier == nil)
                }
                if let file = try file(uid, in: stage.main) { try await send(file, isNew: file.identifier == nil) }
            }
        }
    }

    private func depth(_ uid: String) -> Int { expected.keys.filter { isWithin(uid, $0) }.count }

    private func send(_ object: some Model, isNew: Bool) async throws {
        if isNew {
            do throws(APIError) { try await object.create() } catch .alreadyCreated(_) {}
        }
        if !object.unsentProperties.isEmpty { try await object.save() }
    }

    // MARK: Looking

    func problem() throws -> String? {
        for isMain in [true, false] {
            let context = context(isMain)
            for uid in nodes {
                guard let node = expected[uid], node.isMain == isMain else { continue }
                if let problem = try problem(of: uid, node, in: context) { return problem }
            }
            for folder in try context.query(TreeFolder.self).fetch() {
                if let other = folder.folders.first(where: { $0.parent !== folder }) {
                    return "\(other.uid) is in the list of \(folder.uid) and leads to \(other.parent?.uid ?? "none")"
                }
                if let other = folder.files.first(where: { $0.folder !== folder }) {
                    return "\(other.uid) is in the list of \(folder.uid) and leads to \(other.folder?.uid ?? "none")"
                }
            }
        }
        return nil
    }

    private func problem(of uid: String, _ node: Node, in context: ObjectContext) throws -> String? {
        let here: (name: String, parent: TreeFolder?, isMember: Bool)
        if node.isFile {
            guard let file = try file(uid, in: context) else { return "\(uid) is not here" }
            here = (file.name, file.folder, file.folder?.files.contains { $0 === file } ?? true)
        } else {
            guard let folder = try folder(uid, in: context) else { return "\(uid) is not here" }
            here = (folder.name, folder.parent, folder.parent?.folders.contains { $0 === folder } ?? true)
        }
        guard here.name == node.name else { return "\(uid) is \(here.name), set was \(node.name)" }
        guard here.parent?.uid == node.parent else {
            return "\(uid) is in \(here.parent?.uid ?? "none"), set was \(node.parent ?? "none")"
        }
        return here.isMember ? nil : "\(uid) is not in the list of \(node.parent ?? "none")"
    }

    func finish() async throws -> String? {
        for _ in 0..<3 { await sync() }
        for _ in 0..<2 {
            _ = try await TreeFolder.fetchAll(pages: .all(), prune: .delete, in: stage.main)
            _ = try await TreeFile.fetchAll(pages: .all(), prune: .delete, in: stage.main)
            await stage.attempt { try await stage.main.save() }
            await stage.attempt { try await side.context.save() }
        }
        if let problem = try problem() { return "synchronized, \(problem)" }
        let folders = try stage.main.query(TreeFolder.self).fetch()
        let files = try stage.main.query(TreeFile.self).fetch()
        for folder in folders where isCertain(folder.uid) && !folder.unsentProperties.isEmpty {
            return "unsent of \(folder.uid): \(folder.unsentProperties)"
        }
        for file in files where isCertain(file.uid) && !file.unsentProperties.isEmpty {
            return "unsent of \(file.uid): \(file.unsentProperties)"
        }
        // Nodes that may be deleted are as at the server, or unsent new ones.
        let known =
            folders.filter { $0.identifier != nil && isCertain($0.uid) }
            .map { "\($0.uid) \($0.name) \($0.parent?.uid ?? "-")" }
            + files.filter { $0.identifier != nil && isCertain($0.uid) }
            .map { "\($0.uid) \($0.name) \($0.folder?.uid ?? "-")" }
        let there = stage.server.with { $0.nodes }.filter { isCertain($0.uid) }.map(\.text)
        guard known.sorted() == there.sorted() else {
            return "here is \(known.sorted()), the server has \(there.sorted())"
        }
        let lost = nodes.filter { uid in !there.contains { $0.hasPrefix(uid + " ") } }
        return lost.isEmpty ? nil : "\(lost) are not at the server"
    }
}

// MARK: - The service

extension FileTree {
    /// - Parameter names: whether a folder comes with its files' identities.
    nonisolated private static func begin(_ world: inout PlayWorld, names: Bool) {
        world.uniqueKeys = ["folders": "uid", "files": "uid"]
        world.tables = ["folders": [], "files": []]
        for (id, parent) in [(1, nil), (2, 1), (3, 1), (4, 2), (5, 3)] as [(Int, Int?)] {
            world.insert(
                "folders", ["id": .int(id), "uid": .string("s\(id)"), "name": "f", "parent_id": .int(parent)])
        }
        for id in 11...15 {
            world.insert(
                "files", ["id": .int(id), "uid": .string("s\(id)"), "name": "d", "folder_id": .int(id - 10)])
        }
        world.removing = { world, table, row in
            guard table == "folders" else { return }
            for file in (world.tables["files"] ?? []) where file["folder_id"] == row["id"] {
                world.remove("files", file.id)
            }
            for folder in (world.tables["folders"] ?? []) where folder["parent_id"] == row["id"] {
                world.remove("folders", folder.id)
            }
        }
        world.taking = { world, table, row, body in
            if table == "folders" {
                world.takeMembers("folder_ids", of: &row, from: body, "folders", link: "parent_id")
                world.takeMembers("file_ids", of: &row, from: body, "files", link: "folder_id")
            }
            let key = table == "folders" ? "parent_id" : "folder_id"
            guard let parent = body[key]?.integer else { return [:] }
            return world.row("folders", "\(parent)") == nil ? [key: ["must exist"]] : [:]
        }
        world.listing = { world, parts, _ in
            guard parts.count == 3 else { return nil }
            let key = parts[2] == "folders" ? "parent_id" : "folder_id"
            return (world.tables[parts[2]] ?? []).filter { $0[key]?.integer == Int(parts[1]) }
        }
        world.showing = { world, table, row in
            guard names, table == "folders" else { return row }
            var row = row
            let files = (world.tables["files"] ?? []).filter { $0["folder_id"] == row["id"] }
            row["file_ids"] = .ints(files.map { $0.int("id") })
            return row
        }
    }
}

extension PlayWorld {
    fileprivate var nodes: [(uid: String, text: String)] {
        let uids = Dictionary((tables["folders"] ?? []).map { ($0.int("id"), $0.text("uid")) }) { $1 }
        return [("folders", "parent_id"), ("files", "folder_id")].flatMap { table, key in
            (tables[table] ?? []).map { row in
                let parent = row[key]?.integer.flatMap { uids[$0] } ?? "-"
                return (row.text("uid"), "\(row.text("uid")) \(row.text("name")) \(parent)")
            }
        }
    }

    /// The contents of a folder, at any depth: two of them may have been moved into each other.
    fileprivate func within(_ uid: String) -> Set<String> {
        let folders = tables["folders"] ?? []
        var (found, waiting): (Set<String>, [String]) = ([], [uid])
        while let next = waiting.popLast() {
            guard let folder = folders.first(where: { $0.text("uid") == next }) else { continue }
            let files = (tables["files"] ?? []).filter { $0["folder_id"] == folder["id"] }
            found.formUnion(files.map { $0.text("uid") })
            let inside = folders.filter { $0["parent_id"] == folder["id"] }.map { $0.text("uid") }
            waiting += inside.filter { found.insert($0).inserted }
        }
        return found
    }
}
