package dev.sharding.demo;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class BuildsTests {

	@TempDir
	private Path folder;

	@Test
	void sayWhichCommandToRunWhereThereIsNoFormerBuild() {
		assertThatIllegalStateException().isThrownBy(() -> Builds.programsIn(null))
			.withMessageContaining("'demo.former'")
			.withMessageContaining("run ./upgrade");
		assertThatIllegalStateException().isThrownBy(() -> Builds.programsIn(this.folder.toString()))
			.withMessageContaining(this.folder.toString())
			.withMessageContaining("run ./upgrade");
	}

	@Test
	void areThisOneUnlessAnotherIsAskedFor() {
		Role role = Role.of("s1");
		assertThat(Builds.one().cast(role)).isEqualTo(role);
	}

}
