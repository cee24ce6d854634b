package dev.sharding.internal.sharder.assignment.metadata;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ListRestartsTests {

	private final ListRestarts restarts = new ListRestarts();

	@Test
	@DisplayName("A walk of a million objects expires many times, and gets farther each time")
	void hasNoEndWhileTheListGetsFarther() {
		for (int run = 1000; run < 2000; run++) {
			this.restarts.came("default", "s-1000");
			this.restarts.came("default", "s-" + run);
			assertThat(this.restarts.beginAnew()).isTrue();
		}
	}

	@Test
	@DisplayName("What is done is not listed any more: each walk begins where the last one ended, and is shorter")
	void comparesPositionsNotPages() {
		for (int run = 1; run < 9; run++) {
			for (int page = run; page < 9; page++) {
				this.restarts.came("ns-" + run, "p-" + page);
			}
			assertThat(this.restarts.beginAnew()).isTrue();
		}
	}

	@Test
	void endsWhereTheListGetsNoFarther() {
		this.restarts.came("default", "s-7");
		for (int run = 0; run < 3; run++) {
			assertThat(this.restarts.beginAnew()).isTrue();
			this.restarts.came("default", "s-3");
			this.restarts.came("default", "s-7");
		}
		assertThat(this.restarts.beginAnew()).isFalse();
	}

	@Test
	void endsWhereNothingComes() {
		for (int run = 0; run < 3; run++) {
			assertThat(this.restarts.beginAnew()).isTrue();
		}
		assertThat(this.restarts.beginAnew()).isFalse();
	}

	@Test
	@DisplayName("The API server lists \"team-a\" before \"team\", as '-' is less than '/'")
	void followsTheOrderOfTheApiServer() {
		this.restarts.came("team", "a");
		for (int run = 0; run < 3; run++) {
			assertThat(this.restarts.beginAnew()).isTrue();
			this.restarts.came("team-a", "z");
		}
		assertThat(this.restarts.beginAnew()).isFalse();
		this.restarts.came("team", "b");
		assertThat(this.restarts.beginAnew()).isTrue();
	}

}
