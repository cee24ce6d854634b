package dev.sharding.internal.sharder;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import dev.sharding.internal.core.assignment.AssignmentDecision;
import dev.sharding.internal.core.assignment.LabelPatch;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

class ArchitectureTests {

	private final JavaClasses classes = new ClassFileImporter().withImportOption(new DoNotIncludeTests())
		.importPackages("dev.sharding.internal.sharder");

	@Test
	void onlyTheProgramKnowsSpring() {
		noClasses().that()
			.resideOutsideOfPackage("dev.sharding.internal.sharder.app..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.springframework..")
			.check(this.classes);
	}

	@Test
	void nobodyKnowsTheProgram() {
		noClasses().that()
			.resideOutsideOfPackage("dev.sharding.internal.sharder.app..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("dev.sharding.internal.sharder.app..")
			.check(this.classes);
	}

	@Test
	void roomsDoNotKnowEachOtherInACircle() {
		slices().matching("dev.sharding.internal.sharder.(*)..").should().beFreeOfCycles().check(this.classes);
	}

	/*
	 * By the ring as it is when the patch is sent. A diagnosis tells, and sends nothing.
	 */
	@Test
	void onePlaceDecidesAnAssignment() {
		noClasses().that()
			.doNotHaveSimpleName("Placer")
			.and()
			.resideOutsideOfPackage("dev.sharding.internal.sharder.diagnosis")
			.should()
			.callMethodWhere(target(owner(type(AssignmentDecision.class))).and(target(name("of"))))
			.orShould()
			.callMethodWhere(target(owner(type(LabelPatch.class))).and(target(nameMatching("assign.*|drain"))))
			.check(this.classes);
	}

}
