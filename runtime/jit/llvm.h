/*
 * The functions of LLVM's C API that the translator uses, from the shared library: it is loaded
 * when it is first needed, because loading costs more than many a guest program, and a binary runs
 * on machines that do not have it.
 */
#ifndef RUNTIME_JIT_LLVM_H
#define RUNTIME_JIT_LLVM_H

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/InstCombine.h>
#include <llvm-c/Transforms/Scalar.h>
#include <llvm-c/Transforms/Utils.h>

#include "runtime/base/error.h"

/* clang-format off */
#define JIT_LLVM_FUNCTIONS(F)                                                                  \
    F(ContextCreate) F(ContextDispose) F(ModuleCreateWithNameInContext) F(DisposeModule)       \
    F(CreateBuilderInContext) F(DisposeBuilder) F(PositionBuilderAtEnd)                        \
    F(PositionBuilderBefore) F(GetInsertBlock) F(AddFunction) F(DeleteFunction)                \
    F(SetInstructionCallConv) F(GetNamedFunction) F(GetReturnType) F(GetNumArgOperands)        \
    F(GetParam) F(AppendBasicBlockInContext) F(GetBasicBlockTerminator) F(GetFirstInstruction) \
    F(GetFirstUse) F(GetNextUse) F(GetUser) F(BasicBlockAsValue) F(GetInstructionParent)       \
    F(InstructionEraseFromParent) F(GetSuccessor) F(IsABranchInst) F(IsConditional)            \
    F(IsAInstruction) F(GetFirstBasicBlock) F(GetNextBasicBlock) F(GetNextInstruction)         \
    F(GetInstructionOpcode) F(GetOperand) F(IsAConstantInt) F(ConstIntGetSExtValue)            \
    F(ConstIntGetZExtValue) F(IsConstant) F(IsAPHINode) F(IntTypeInContext)                    \
    F(FloatTypeInContext) F(DoubleTypeInContext) F(VoidTypeInContext) F(VectorType)            \
    F(PointerType) F(FunctionType) F(TypeOf) F(GetTypeKind) F(GetElementType) F(GetVectorSize) \
    F(GetIntTypeWidth) F(ConstInt) F(ConstIntOfArbitraryPrecision) F(ConstNull) F(ConstVector) \
    F(ConstBitCast) F(ConstIntToPtr) F(GetUndef) F(BuildAdd) F(BuildSub) F(BuildMul)           \
    F(BuildUDiv) F(BuildSDiv) F(BuildURem) F(BuildSRem) F(BuildFAdd) F(BuildFSub) F(BuildFMul) \
    F(BuildFDiv) F(BuildFRem) F(BuildFNeg) F(BuildNeg) F(BuildNot) F(BuildAnd) F(BuildOr)      \
    F(BuildXor) F(BuildShl) F(BuildLShr) F(BuildAShr) F(BuildICmp) F(BuildFCmp) F(BuildSelect) \
    F(BuildZExt) F(BuildSExt) F(BuildTrunc) F(BuildFPExt) F(BuildFPTrunc) F(BuildSIToFP)       \
    F(BuildUIToFP) F(BuildBitCast) F(BuildIntToPtr) F(BuildExtractElement)                     \
    F(BuildInsertElement) F(BuildShuffleVector) F(BuildAlloca) F(BuildLoad2) F(BuildStore)     \
    F(BuildGEP2) F(BuildCall2) F(BuildPhi) F(AddIncoming) F(BuildBr) F(BuildCondBr)            \
    F(BuildSwitch) F(AddCase) F(BuildRetVoid) F(BuildUnreachable) F(SetAlignment)              \
    F(SetTailCall) F(CreateEnumAttribute) F(GetEnumAttributeKindForName)                       \
    F(AddAttributeAtIndex) F(AddCallSiteAttribute) F(LookupIntrinsicID)                        \
    F(GetIntrinsicDeclaration) F(IntrinsicGetType) F(MDStringInContext2) F(MDNodeInContext2)   \
    F(ValueAsMetadata) F(MetadataAsValue) F(GetMDKindIDInContext) F(SetMetadata)               \
    F(CreateFunctionPassManagerForModule) F(InitializeFunctionPassManager)                     \
    F(RunFunctionPassManager) F(FinalizeFunctionPassManager) F(DisposePassManager)             \
    F(AddPromoteMemoryToRegisterPass) F(AddInstructionCombiningPass)                           \
    F(AddCFGSimplificationPass) F(AddGVNPass) F(AddEarlyCSEPass)                               \
    F(AddTypeBasedAliasAnalysisPass) F(AddAggressiveDCEPass) F(StructTypeInContext)            \
    F(BuildExtractValue) F(GetInlineAsm) F(ReplaceAllUsesWith) F(GetIndices)                   \
    F(InstructionClone) F(InsertIntoBuilder) F(SetOperand) F(GetNumOperands)                   \
    F(GetLastInstruction) F(GetPreviousInstruction) F(GetLastBasicBlock)                       \
    F(GetPreviousBasicBlock) F(CountIncoming) F(GetIncomingBlock) F(GetIncomingValue)          \
    F(ParseCommandLineOptions) F(GetPoison) F(VerifyFunction) F(PrintModuleToString)           \
    F(DisposeMessage) F(GetDefaultTargetTriple) F(GetHostCPUName) F(GetHostCPUFeatures)        \
    F(GetTargetFromTriple) F(CreateTargetMachine) F(DisposeTargetMachine)                      \
    F(TargetMachineEmitToMemoryBuffer) F(CreateDisasm) F(DisasmInstruction) F(DisasmDispose)   \
    F(GetFirstFunction) F(GetNextFunction) F(GetBufferStart) F(GetBufferSize)                  \
    F(DisposeMemoryBuffer) F(GetCalledValue) F(IsAInlineAsm) F(BuildRet) F(AddLICMPass)        \
    F(DeleteBasicBlock) F(BuildPtrToInt)                                                       \
    F(CreateStringAttribute) F(WriteBitcodeToMemoryBuffer)                                     \
    F(CreateMemoryBufferWithMemoryRangeCopy) F(ConsumeError) F(OrcCreateLLJIT)                 \
    F(OrcDisposeLLJIT) F(OrcLLJITGetMainJITDylib) F(OrcLLJITGetGlobalPrefix)                   \
    F(OrcCreateDynamicLibrarySearchGeneratorForProcess) F(OrcJITDylibAddGenerator)             \
    F(OrcLLJITAddObjectFile) F(OrcLLJITLookup)                                                 \
    F(GetNumSuccessors) F(SetSuccessor) F(GetMetadata) F(GetMDNodeNumOperands)                 \
    F(GetMDNodeOperands) F(GetFCmpPredicate) F(GetIntrinsicID) F(IsAFunction) F(IsNull)        \
    F(ConstReal) F(InstructionRemoveFromParent) F(BuildFPToSI) F(BuildFPToUI)
/* clang-format on */

struct llvm { /* l->BuildAdd is LLVMBuildAdd */
#define F(name) __typeof__(LLVM##name) *name;
    JIT_LLVM_FUNCTIONS(F)
#undef F
    void *library;
};

/* Loads the library and fills the table; a message when it is not there. */
bool llvm_load(struct llvm *l, struct error *err);

/* llvm_host.c: the host's processor and its features, as LLVM names them. The caller frees the
 * strings. */
char *llvm_host_cpu(const struct llvm *l);
char *llvm_host_features(const struct llvm *l);

#endif
