import ObjectStore

extension PageWalk {
    /// The stored rows that may be deleted if the listing omits them. A listing of all objects also completes deletions
    /// with an unknown outcome.
    func candidates() throws(APIError) -> [RecordID] {
        guard let model = first.model else { return [] }
        if let membership {
            guard pruning == .delete, membership.mayBeWhole else { return [] }
            return (storedMembers() ?? []).map { RecordID(table: model.table, row: $0) }
        }
        guard isOfAll else { return [] }
        let requested = isFeed ? [] : first.context.requestedDeletions(of: model)
        guard pruning == .delete else { return requested }
        let settled: [RecordID]
        do { settled = try first.context.settledRows(of: model) } catch { throw .store(error) }
        guard !requested.isEmpty, case let known = Set(settled) else { return settled }
        return settled + requested.filter { !known.contains($0) }
    }

    /// Whether the listing of all objects only completes requested deletions.
    private func completes(_ course: PageCourse) -> Bool {
        membership == nil && pruning != .delete && !course.pruneCandidates.isEmpty
    }

    /// Whether members that leave are deleted: the list owns them, or its owner is in their identity.
    var deletesWhatLeaves: Bool {
        guard let list = membership?.list.list else { return false }
        return list.options.owns || first.client.schema.namesMembers(list)
    }

    nonisolated(nonsending) func prune(_ course: PageCourse) async throws(APIError) -> PageCourse {
        var result = course
        if let obstacle = obstacle(for: course) {
            if pruning != .never, membership != nil || pruning == .delete { result.pruned = PruneReport(obstacle) }
            return result
        }
        guard completes(course) || pruning != .never && (membership != nil || pruning == .delete) else { return result }
        var pruned = PruneReport()
        if membership != nil, pruning == .unlink, course.sizes.count == 1, !course.hasKept {
            // The import of the single page has unlinked the omitted members.
            (pruned.unlinked, pruned.deleted) = (course.report.unlinked, course.report.orphaned)
            pruned.proof = pruned.unlinked + pruned.deleted > 0 ? .oneAnswer : nil
            result.pruned = pruned
            return result
        }
        let members = membership.map { first.context.storedMembers(of: $0.owner, $0.list.index) ?? [] }
        let listed = (members ?? []).isEmpty && course.pruneCandidates.isEmpty ? [] : course.distinct
        let added = membership.map { $0.owner.addedMembers(of: $0.list) } ?? []
        let leaving = (members ?? []).filter { !listed.contains($0) && !isWaiting($0) && !added.contains($0) }
        let left = course.pruneCandidates.filter { !listed.contains($0.row) }
        let requested = Set(first.model.map(first.context.requestedDeletions) ?? [])
        let deleted = left.filter { requested.contains($0) || !isWaiting($0.row) }
        pruned.kept = left.count - deleted.count
        if leaving.isEmpty, deleted.isEmpty {
            // Only all pages together show that the list is complete.
            if let members, !course.hasKept || members != course.members { _ = try await store(course) }
            if !completes(course) { result.pruned = pruned }
            return result
        }
        guard let proof = proof(of: course) else { return try await proveAgain(course) }
        pruned.proof = proof
        let gone = try await store(course, deleting: deleted, leaving: leaving)
        pruned.deleted = gone.count
        pruned.kept += deleted.count { !gone.contains($0) }
        if let membership, !leaving.isEmpty {
            let now = Set(first.context.storedMembers(of: membership.owner, membership.list.index) ?? [])
            pruned.unlinked = leaving.count { !now.contains($0) }
        }
        result.report.unlinked += pruned.unlinked
        result.report.deleted += pruned.deleted
        result.pruned = pruned
        return result
    }

    private func isWaiting(_ row: RowID) -> Bool {
        object(row).map { $0.isInserted || !$0.unsentProperties.isEmpty } ?? false
    }

    private func obstacle(for course: PageCourse) -> PruneReport.Obstacle? {
        if course.hasUnvalidatedPage { return .stored }
        if membership?.mayBeWhole == false || membership == nil && !isOfAll { return .otherScope }
        // The next listing corrects wrong members, but a deletion is final.
        let isForAll = pruning == .delete || membership == nil
        if isForAll ? course.mayBeOtherList : deletesWhatLeaves && course.isNarrowed { return .otherScope }
        if !course.isWhole || course.requestStart == nil { return .incomplete }
        if membership != nil, course.hasKept, storedMembers() == nil { return .unsent }
        return nil
    }

    private func proof(of course: PageCourse) -> PruneReport.Proof? {
        if course.sizes.count == 1 { return .oneAnswer }
        if course.isByIdentity { return .order }
        return isProven ? .sameTwice : nil
    }

    nonisolated(nonsending) func isProven(_ course: PageCourse) async throws(APIError) -> Bool {
        guard course.isWhole, !course.hasUnvalidatedPage else { return false }
        if proof(of: course) != nil { return true }
        guard let second = try await listedAgain(course) else { return false }
        return second.isWhole && second.isSame(as: course)
    }

    private nonisolated(nonsending) func proveAgain(_ course: PageCourse) async throws(APIError) -> PageCourse {
        guard var second = try await listedAgain(course) else {
            var unproven = course
            unproven.pruned = PruneReport(.unproven)
            return unproven
        }
        second.pruneCandidates = course.pruneCandidates
        let isSame = second.isWhole && second.isSame(as: course)
        // The second listing repeats counts of the first.
        if isSame { (second.report.unchanged, second.report.keptAnswers) = (0, 0) }
        second.report = course.report + second.report
        guard isSame || second.isWhole && second.sizes.count == 1 else {
            second.pruned = PruneReport(.changing)
            return second
        }
        var walk = self
        if isSame {
            // Changes acknowledged since the first request may be missing in both listings.
            second.requestStart = course.requestStart
            (second.source, second.fetchedAt) = (course.source, course.fetchedAt)
            walk.isProven = true
        }
        return try await walk.prune(second)
    }

    /// Fetches the list again. Pages that are equal in both listings were so at one moment between them.
    ///
    /// - Returns: nil if the second listing failed.
    private nonisolated(nonsending) func listedAgain(_ course: PageCourse) async throws(APIError) -> PageCourse? {
        var walk = self
        walk.batches = []
        if walk.first.policy.mayLeaveUnasked { walk.first.policy = .revalidate }
        var second = try walk.begin()
        var ahead: RequestAhead?
        do throws(APIError) {
            while try await walk.step(&second, &ahead) != nil {}
        } catch {
            if Task.isCancelled { throw error }
            return nil
        }
        walk.end(&second)
        return second
    }

    private nonisolated(nonsending) func store(
        _ course: PageCourse, deleting rows: [RecordID] = [], leaving: [RowID] = []
    ) async throws(APIError) -> Set<RecordID> {
        var memberships: [WriteBatch.Membership] = []
        var owned: [RecordID] = []
        if let membership {
            // Without a base, since a complete list removes pending members, too.
            let owner = ListOwner(membership.list.index, of: membership.owner.record)
            memberships = [WriteBatch.Membership(course.members, of: owner)]
            memberships[0].isRepeated = course.isRepeated
            if let list = membership.list.list, deletesWhatLeaves {
                owned = leaving.map { RecordID(table: list.target, row: $0) }
            }
        }
        let batch = WriteBatch.confirmed(memberships: memberships)
        do {
            return try await first.context.prune(
                rows, leaving: owned, requestedAt: course.requestStart?.stamp, after: batch)
        } catch {
            throw .store(error)
        }
    }
}
