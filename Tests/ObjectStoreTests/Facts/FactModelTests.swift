import Foundation
import Testing

/// Random programs of users, processes, requests and fetches, against ``FactRules`` and a simple server.
@Suite struct FactModelTests {
    /// `FACT_PROGRAMS` many from `FACT_FIRST` on, where these are set.
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["FACT_FIRST"].flatMap { UInt64($0) } ?? 0
        let count = environment["FACT_PROGRAMS"].flatMap { UInt64($0) } ?? 80
        return first..<(first + count)
    }()

    /// For each condition, the seed and the steps of a program that needs it.
    private static let failing: [ModelCondition: (seed: UInt64, steps: Int)] = [
        .pruneCoversEdit: (2, 80),
        .pruneWhileOpen: (4, 120),
        .pruneAtRisk: (225, 40),
        .oneRequestPerFact: (2, 80),
        .oneRequestPerObject: (358, 100),
        .carryOverruled: (74, 120),
        .removalOnlyIfKnown: (1418, 160),
        .wholeOnlyIfKnown: (43, 100),
        .linkListDecidesAll: (272, 80),
        .deadMemberStays: (28, 100),
        .waitingMembersGo: (4, 120),
        .orderWaitsForUnsent: (1804, 120),
        .deletionTakenBack: (172, 80),
        .carryByIdentity: (4, 120),
        .replyIsBase: (0, 40),
        .changeWhileOpen: (284, 120),
        .leaveRemembersChange: (5271, 80),
        .leaveOnlyOwner: (16, 60),
        .leaveSettlesNothing: (57, 80),
        .rememberUnknown: (225, 40),
        .stampOfFetch: (987, 80),
        .stampOfAccepted: (9, 120),
        .stampOfUnknown: (703, 100),
        .stampWithoutEdit: (218, 100),
        .stampShared: (234, 120),
        .restartOwnProcess: (8, 100),
        .wholeKeepsPairs: (116704, 200),
        .wholeBeforeParts: (108864, 200),
        .wholeTurnsIntoPairs: (1473, 100),
        .orderWaitsForPairs: (0, 40),
        .orderSavedAsShown: (352, 80),
        .additionsInSavedOrder: (3, 100),
        .editsGoWithObject: (3, 100),
        .tombstones: (28, 100),
        .renameIsNoDeletion: (141, 60),
        .bothNames: (93, 100),
        .remapEdits: (882, 80),
    ]

    /// For some seeds, the hash of everything that happens.
    private static let digests: [(seed: UInt64, digest: UInt64)] = [
        (0, 6_323_760_093_527_631_870), (1, 14_835_407_699_915_931_610), (2, 17_791_596_916_894_874_965),
    ]

    @Test(arguments: seeds)
    func `Every edit reaches the server once, and every context shows the server's values in the end`(seed: UInt64) {
        let failure = FactModel.run(seed: seed, steps: Self.steps(seed)).failure
        #expect(failure == nil)
    }

    @Test(arguments: ModelCondition.allCases)
    func `A program fails without the condition, and passes with it`(condition: ModelCondition) throws {
        let (seed, steps) = try #require(Self.failing[condition])
        #expect(FactModel.run(seed: seed, steps: steps, without: condition).failure != nil)
        #expect(FactModel.run(seed: seed, steps: steps).failure == nil)
    }

    @Test(arguments: digests)
    func `A program runs the same way in each process`(seed: UInt64, digest: UInt64) {
        #expect(FactModel.run(seed: seed, steps: Self.steps(seed), isDigested: true).digest == digest)
    }

    private static func steps(_ seed: UInt64) -> Int { 40 + Int(seed % 5) * 20 }
}
