package dev.sharding.internal.sharder.assignment.placement;

import java.util.Map;

import dev.sharding.client.ApiException;
import dev.sharding.internal.core.assignment.ResourceRole;
import dev.sharding.internal.sharder.assignment.metadata.ResourceProblems;
import dev.sharding.internal.sharder.assignment.metadata.ShardedObject;
import dev.sharding.internal.sharder.assignment.metadata.ShardedResource;
import dev.sharding.internal.sharder.assignment.placement.Placement.Outcome;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PlacementReportsTests {

	private static final ShardedResource CONFIG_MAPS = new ShardedResource(ResourceType.of(ConfigMap.class).metadata(),
			ResourceRole.CONTROLLED);

	private final ResourceProblems problems = new ResourceProblems(() -> {
	});

	private final PlacementReports reports = new PlacementReports(this.problems);

	@Test
	void anotherObjectThatIsPlacedDoesNotEndAProblem() {
		failed("stuck", "403");
		placed("other", Outcome.PATCHED);
		assertThat(this.problems.byResource()).isEqualTo(Map.of("configmaps", "403"));
	}

	@Test
	void aProblemEndsWithTheLastObjectThatHasIt() {
		failed("one", "403");
		failed("other", "422");
		placed("one", Outcome.PATCHED);
		assertThat(this.problems.byResource()).isEqualTo(Map.of("configmaps", "422"));
		placed("other", Outcome.GONE);
		assertThat(this.problems.byResource()).isEmpty();
	}

	@Test
	void countsWhatBeginsToFail() {
		failed("one", "403");
		failed("one", "422");
		assertThat(this.reports.begun()).isEqualTo(1);
		failed("other", "403");
		placed("one", Outcome.PATCHED);
		failed("one", "403");
		assertThat(this.reports.begun()).isEqualTo(3);
	}

	private static ShardedObject object(String name) {
		return new ShardedObject(CONFIG_MAPS, new ObjectKey("default", name), "1", null, Map.of());
	}

	private void failed(String name, String message) {
		this.reports
			.report(new Placement(Outcome.FAILED, object(name), new ApiException(403, "", null, message, null)));
	}

	private void placed(String name, Outcome outcome) {
		this.reports.report(Placement.of(outcome, object(name)));
	}

}
