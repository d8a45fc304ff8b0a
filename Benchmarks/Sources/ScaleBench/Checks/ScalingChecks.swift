/// What is checked. A new way through the library whose cost could depend on how much there is gets a row here.
enum ScalingChecks {
    static let all = making + saving + deleting + lists + editing + importing + paging + querying + watching
}
