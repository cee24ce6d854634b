package dev.sharding.test.spring;

import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.test.context.aot.TestContextAotGenerator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Spring looks at all test classes of a project ahead of time, when none has a ring.
 */
class AheadOfTimeTests {

	@Test
	void classesWithARingAreLeftOut() {
		InMemoryGeneratedFiles files = new InMemoryGeneratedFiles();
		new TestContextAotGenerator(files)
			.processAheadOfTime(Stream.of(ShardingTestIT.class, ShardingTestIT.InANestedClass.class, OwnRolesIT.class));
		assertThat(files.getGeneratedFiles(Kind.SOURCE).keySet()).isNotEmpty().noneMatch((name) -> name.contains("IT"));
	}

}
