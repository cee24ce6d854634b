package dev.sharding.sharder.assignment;

import dev.sharding.kubernetes.rest.ApiException;
import dev.sharding.sharder.assignment.Placement.Outcome;
import dev.sharding.sharder.assignment.ResourceProblems.Operation;

/**
 * Turns what became of objects into problems of their resources, or the end of these.
 */
final class PlacementReports {

	private final ResourceProblems problems;

	PlacementReports(ResourceProblems problems) {
		this.problems = problems;
	}

	Placement report(Placement placement) {
		ApiException failure = placement.failure();
		String resource = placement.object().resource().toString();
		if (failure != null && !placement.isFenced()) {
			this.problems.failed(resource, Operation.PATCH, String.valueOf(failure.getMessage()));
		}
		else if (placement.outcome() == Outcome.PATCHED) {
			this.problems.succeeded(resource, Operation.PATCH);
		}
		return placement;
	}

}
